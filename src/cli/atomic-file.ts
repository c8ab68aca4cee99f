import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { syncFolder } from '../core/sync-folder.ts';
import { cleanUpOnExit } from './terminal/exit-cleanup.ts';

/**
 * Writes a file atomically, readable by its owner only: to a temporary file first, which is renamed once everything is on
 * disk.
 */
export async function writeFileAtomically<T>(file: string, write: (target: Writable) => Promise<T>): Promise<T> {
  // A random name, so that concurrent writers of the same file do not interfere.
  const partial = `${file}.${randomBytes(4).toString('hex')}.partial`;
  const removePartial = (): void => rmSync(partial, { force: true });
  const keepAtSignal = cleanUpOnExit(removePartial);
  let handle: FileHandle | null = null;
  try {
    handle = await open(partial, 'wx', 0o600);
    // `flush` syncs the file before it is closed, which `write` awaits.
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

async function closeQuietly(handle: FileHandle): Promise<void> {
  try {
    await handle.close();
  } catch {
    // The original error is the one to report.
  }
}
