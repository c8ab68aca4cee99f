import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { clearUpAtSignal } from './stopping.ts';

/**
 * Writes a file that is there as a whole or not at all, for the owner alone: under another name beside it first, which it
 * loses when everything is on the disk.
 */
export async function writeWholeFile<T>(file: string, write: (target: Writable) => Promise<T>): Promise<T> {
  // Of its own: two that write the same file at once are not to write into each other.
  const partial = `${file}.${randomBytes(4).toString('hex')}.partial`;
  const removePartial = (): void => rmSync(partial, { force: true });
  const keepAtSignal = clearUpAtSignal(removePartial);
  let handle: FileHandle | null = null;
  try {
    handle = await open(partial, 'wx', 0o600);
    // On the disk before it is closed, which `write` waits for.
    const value = await write(handle.createWriteStream({ flush: true }));
    await rename(partial, file);
    await syncFolder(dirname(file));
    return value;
  } catch (error) {
    if (handle !== null) await closeQuietly(handle);
    removePartial();
    throw error;
  } finally {
    keepAtSignal();
  }
}

/** Makes the name as durable as the bytes. Not every system knows folders as something to be written through. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function closeQuietly(handle: FileHandle): Promise<void> {
  try {
    await handle.close();
  } catch {
    // What went wrong before is the issue that is told.
  }
}
