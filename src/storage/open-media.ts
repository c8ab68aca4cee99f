import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BucketConfig } from '../config-media.ts';
import { syncFolder } from '../core/sync-folder.ts';
import { createFolder, createMediaStore, ignoreMissing, type MediaFolder, type MediaStore } from './media.ts';
import type { S3Settings } from './s3/client.ts';

/** The folder for files that are not complete yet. */
export interface Spool {
  readonly folder: MediaFolder;
  /**
   * Which instances see the files in it: those with the same id. Null if the folder is the media store itself, which all
   * instances see.
   */
  readonly id: string | null;
  /** Writes the id to the folder if that was not possible before, such as on a full disk. */
  keepId(): Promise<void>;
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
  if (bucket === null) {
    return { store: files, spool: { folder: files, id: null, keepId: async () => {} }, close: async () => {} };
  }
  const { createMediaBucket } = await import('./s3/bucket.ts');
  const { store, close } = createMediaBucket(bucket, { spool: files, settings });
  return { store, spool: await openSpool(files, folder), close };
}

/** No media file can have this name. */
const idName = '.spool';

/** In the folder, so that it stays with the files when the instance is restarted, and on another machine. */
async function openSpool(folder: MediaFolder, path: string): Promise<Spool> {
  const own = randomBytes(8).toString('hex');
  const id = await idIn(path, own).catch(() => own);
  return {
    folder,
    id,
    keepId: async () => {
      await idIn(path, id);
    },
  };
}

/**
 * The id in the folder; the given one if there is none yet. An id is never replaced, because others may have read it: if
 * a file has none, such as one of an earlier release on a full disk, the next name is used.
 */
async function idIn(folder: string, own: string): Promise<string> {
  await createFolder(folder);
  for (let number = 0; ; ) {
    const file = join(folder, number === 0 ? idName : `${idName}-${number}`);
    const found = await readFile(file, 'utf8').catch(ignoreMissing);
    if (found !== null && /^[0-9a-f]{16}$/.test(found)) return found;
    if (found !== null) number += 1;
    else if (await createOnce(file, own)) return own;
  }
}

/** Never with a part of the content. False: there is such a file already. */
async function createOnce(file: string, content: string): Promise<boolean> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600, flush: true });
    // Unlike `rename`, it fails if there is such a file. Some network file systems do not have it.
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error;
      return rename(temporary, file);
    });
    await syncFolder(dirname(file));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(temporary, { force: true });
  }
}
