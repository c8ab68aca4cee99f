import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import type { Value } from '../storage/database.ts';
import { createMediaStore, type MediaStore } from '../storage/media.ts';
import type { Batch } from './format.ts';
import { mediaTable } from './tables.ts';

const partBytes = 256 * 1024;

/** Every file, in parts. A file that is removed while it is read is not in the backup, and no row refers to it. */
export async function* mediaBatches(store: MediaStore): AsyncGenerator<Batch> {
  for await (const { name } of store.list()) {
    let part = 0;
    for await (const content of parts(store.read(name))) {
      yield { table: mediaTable, rows: [[name, part, content]] };
      part += 1;
    }
  }
}

/** Splits into parts of equal length, whatever the file system returns. An empty file has one empty part. */
async function* parts(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  let isEmpty = true;
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    while (rest.length >= partBytes) {
      yield rest.subarray(0, partBytes);
      isEmpty = false;
      rest = rest.subarray(partBytes);
    }
  }
  if (rest.length > 0 || isEmpty) yield rest;
}

/** The media folder is not empty, and replacing was not requested. */
export class MediaNotEmptyError extends Error {
  override readonly name = 'MediaNotEmptyError';
}

export interface MediaRestore {
  take(rows: readonly (readonly Value[])[]): Promise<void>;
  /** Replaces the existing files, once the database is restored. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** Writes the files of a backup into a sibling of `folder`, which then replaces it. */
export function restoreMedia(folder: string, isReplacing: boolean): MediaRestore {
  const suffix = randomBytes(6).toString('hex');
  const staging = `${folder}.restoring-${suffix}`;
  const previous = `${folder}.replaced-${suffix}`;
  const store = createMediaStore(staging);
  let current: { readonly input: PassThrough; readonly written: Promise<void> } | null = null;

  const finishFile = async (): Promise<void> => {
    current?.input.end();
    await current?.written;
    current = null;
  };
  const startFile = (name: string): void => {
    const input = new PassThrough();
    const written = store.write(name, input);
    // Awaited when the file ends. Until then a rejection must not crash the process.
    written.catch(() => {});
    current = { input, written };
  };
  return {
    take: async (rows) => {
      for (const [name, part, content] of rows) {
        if (part === 0) {
          if (current === null && !isReplacing) await requireEmptyFolder(folder);
          await finishFile();
          startFile(String(name));
        }
        if (current === null) throw new Error('the backup has a part of a file without its beginning');
        const { input, written } = current;
        if (!input.write(content)) await Promise.race([once(input, 'drain'), written]);
      }
    },
    commit: async () => {
      await finishFile();
      if (existsSync(folder)) await rename(folder, previous);
      if (existsSync(staging)) await rename(staging, folder);
      await rm(previous, { recursive: true, force: true });
    },
    rollback: async () => {
      current?.input.destroy();
      await current?.written.catch(() => {});
      await rm(staging, { recursive: true, force: true });
    },
  };
}

async function requireEmptyFolder(folder: string): Promise<void> {
  if (existsSync(folder) && (await readdir(folder)).length > 0) throw new MediaNotEmptyError(`${folder} is not empty`);
}
