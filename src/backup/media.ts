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
    try {
      for await (const content of parts(store.read(name))) {
        yield { table: mediaTable, rows: [[name, part, content]] };
        part += 1;
      }
    } catch (error) {
      if (part > 0 || (await store.find(name)) !== null) throw error;
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

/** Joins the parts of each file again. */
function createFileWriter(store: MediaStore) {
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
    take: async (rows: readonly (readonly Value[])[], onBegin: (name: string) => Promise<void>): Promise<void> => {
      for (const [name, part, content] of rows) {
        if (part === 0) {
          await finishFile();
          await onBegin(String(name));
          startFile(String(name));
        }
        if (current === null) throw new Error('the backup has a part of a file without its beginning');
        const { input, written } = current;
        if (!input.write(content)) await Promise.race([once(input, 'drain'), written]);
      }
    },
    finish: finishFile,
    abort: async (): Promise<void> => {
      current?.input.destroy();
      await current?.written.catch(() => {});
    },
  };
}

/** Writes the files of a backup into a sibling of `folder`, which then replaces it. */
export function restoreMedia(folder: string, isReplacing: boolean): MediaRestore {
  const suffix = randomBytes(6).toString('hex');
  const staging = `${folder}.restoring-${suffix}`;
  const previous = `${folder}.replaced-${suffix}`;
  const writer = createFileWriter(createMediaStore(staging));
  let isChecked = false;
  return {
    take: (rows) =>
      writer.take(rows, async () => {
        if (!isChecked && !isReplacing) await requireEmptyFolder(folder);
        isChecked = true;
      }),
    commit: async () => {
      await writer.finish();
      if (existsSync(folder)) await rename(folder, previous);
      if (existsSync(staging)) await rename(staging, folder);
      await rm(previous, { recursive: true, force: true });
    },
    rollback: async () => {
      await writer.abort();
      await rm(staging, { recursive: true, force: true });
    },
  };
}

/**
 * Writes the files of a backup into a bucket, which cannot be replaced at once: a file that is there already has the same
 * content, because names are not used twice, and files that are not in the backup are removed at the end.
 */
export function restoreBucket(bucket: MediaStore, isReplacing: boolean): MediaRestore {
  const writer = createFileWriter(bucket);
  const restored = new Set<string>();
  const added: string[] = [];
  return {
    take: (rows) =>
      writer.take(rows, async (name) => {
        if (restored.size === 0 && !isReplacing) {
          for await (const _ of bucket.list()) throw new MediaNotEmptyError(`${bucket.place} is not empty`);
        }
        restored.add(name);
        if ((await bucket.find(name)) === null) added.push(name);
      }),
    commit: async () => {
      await writer.finish();
      for await (const { name } of bucket.list()) if (!restored.has(name)) await bucket.remove(name);
    },
    rollback: async () => {
      await writer.abort();
      for (const name of added) await bucket.remove(name);
    },
  };
}

async function requireEmptyFolder(folder: string): Promise<void> {
  if (existsSync(folder) && (await readdir(folder)).length > 0) throw new MediaNotEmptyError(`${folder} is not empty`);
}
