import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BucketConfig } from '../config-media.ts';
import { createMediaStore, type MediaFolder, type MediaStore } from './media.ts';
import type { S3Settings } from './s3/client.ts';

/** The folder for files that are not complete yet. */
export interface Spool {
  readonly folder: MediaFolder;
  /**
   * Which instances see the files in it: those with the same id. Null if the folder is the media store itself, which all
   * instances see.
   */
  readonly id: string | null;
}

/** Where media files are. */
export interface OpenedMedia {
  readonly store: MediaStore;
  readonly spool: Spool;
  readonly close: () => Promise<void>;
}

/** Without a bucket, its client is not loaded. */
export async function openMedia(
  folder: string,
  bucket: BucketConfig | null,
  settings: Partial<S3Settings> = {},
): Promise<OpenedMedia> {
  const files = createMediaStore(folder);
  if (bucket === null) return { store: files, spool: { folder: files, id: null }, close: async () => {} };
  const { createMediaBucket } = await import('./s3/bucket.ts');
  const { store, close } = createMediaBucket(bucket, { spool: files, settings });
  return { store, spool: { folder: files, id: await spoolIdIn(folder) }, close };
}

/** No media file can have this name. */
const idName = '.spool';

/** In the folder, so that it stays with the files when the instance is restarted, and on another machine. */
async function spoolIdIn(folder: string): Promise<string> {
  const file = join(folder, idName);
  const id = randomBytes(8).toString('hex');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(file, id, { flag: 'wx', mode: 0o600, flush: true });
    return id;
  } catch {
    // The file exists, or nothing can be written to the folder: then no recording is in it.
    const found = await readFile(file, 'utf8').catch(() => '');
    return /^[0-9a-f]{16}$/.test(found) ? found : id;
  }
}
