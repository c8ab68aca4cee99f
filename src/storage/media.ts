import { randomBytes } from 'node:crypto';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, opendir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '../core/sync-folder.ts';

export interface MediaFile {
  /** For example `calls/call_01….wav`. */
  readonly name: string;
  readonly bytes: number;
}

/** A file that grows while it is used. */
export interface OpenMediaFile {
  write(position: number, bytes: Uint8Array): Promise<void>;
  /** Fewer bytes only at the end of the file. `into`: a buffer that is long enough, instead of a new one. */
  read(position: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  truncate(bytes: number): Promise<void>;
  /** Resolves once everything that was written is durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What a download by a link of the storage may do. */
export interface MediaLink {
  readonly type: string;
  readonly method: 'GET' | 'HEAD';
  readonly expiresInMs: number;
}

/** Files that are too large for the database, such as recordings: in a folder, or in a bucket (s3/bucket.ts). */
export interface MediaStore {
  /** For the operator, such as `the folder /data/media`. */
  readonly place: string;
  /** The variable that it is set with. */
  readonly setting: 'MEDIA_DIR' | 'MEDIA_URL';
  /** Null if the file does not exist. `signal`: for how long to ask for it. */
  find(name: string, signal?: AbortSignal): Promise<MediaFile | null>;
  /** Resolves once the file is durable. Until then no file has this name. */
  write(name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** The same with a file of this machine. */
  writeFile(name: string, path: string, signal?: AbortSignal): Promise<void>;
  /** The bytes from `start` up to and including `end`. */
  read(name: string, range?: { readonly start: number; readonly end: number }): AsyncIterable<Buffer>;
  /** Calls `use` with the absolute path of a file with the content, which may exist only until it returns. */
  withLocal<T>(name: string, use: (path: string) => Promise<T>): Promise<T>;
  remove(name: string): Promise<void>;
  /** Removes a folder with all of its files, also those that are being written. */
  removeFolder(name: string): Promise<void>;
  /** The files of a folder, also those that are being written, or were when their process was lost. */
  filesIn(name: string): Promise<{ readonly name: string; readonly modifiedAt: number }[]>;
  list(): AsyncGenerator<MediaFile>;
  /** A URL of the storage itself. Null: downloads go through the service. */
  link(name: string, link: MediaLink): Promise<string | null>;
  /** Rejects if no file can be written. */
  checkWritable(): Promise<void>;
  /**
   * Rejects if no large file can be written. Resolves to why what is left of uploads that were never completed cannot be
   * removed; null: it can.
   */
  checkUploads(): Promise<string | null>;
}

/** A folder also has files that grow while they are used. */
export interface MediaFolder extends MediaStore {
  /** Opens the file, or creates it: for content that must not be lost with its process. */
  open(name: string): Promise<OpenMediaFile>;
  /** The absolute path of a file. */
  path(name: string): string;
}

/** Letters, digits, `_`, `-` and inner dots, in folders. Cannot lead out of the folder of the store. */
const nameRule = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*(\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$/;
const temporarySuffix = '.incomplete';
/** No media file can have this name. All processes use the same one, so that a crash leaves no more than one behind. */
const probeName = '.writable';

/** Returns the name, or throws. */
export function checkMediaName(name: string): string {
  if (!nameRule.test(name) || name.length > 255) throw new TypeError(`not the name of a media file: ${name}`);
  return name;
}

/** Media files in a folder. */
export function createMediaStore(folder: string): MediaFolder {
  const pathOf = (name: string): string => join(folder, ...checkMediaName(name).split('/'));

  const find = async (name: string): Promise<MediaFile | null> => {
    const found = await stat(pathOf(name)).catch(ignoreMissing);
    return found?.isFile() ? { name, bytes: found.size } : null;
  };

  const write: MediaStore['write'] = async (name, content) => {
    const path = pathOf(name);
    await createFolder(dirname(path));
    const temporary = `${path}.${randomBytes(6).toString('hex')}${temporarySuffix}`;
    try {
      await pipeline(Readable.from(content), createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }));
      await rename(temporary, path);
      await syncFolder(dirname(path));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  };

  return {
    place: `the folder ${folder}`,
    setting: 'MEDIA_DIR',
    find,
    write,
    writeFile: (name, path, signal) => write(name, createReadStream(path, { signal })),

    open: async (name) => {
      const path = pathOf(name);
      await createFolder(dirname(path));
      const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
      return {
        write: async (position, bytes) => {
          for (let written = 0; written < bytes.length; ) {
            const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
            written += bytesWritten;
          }
        },
        read: async (position, length, into = new Uint8Array(length)) => {
          const { buffer, bytesRead } = await file.read(into, 0, length, position);
          return buffer.subarray(0, bytesRead);
        },
        truncate: (bytes) => file.truncate(bytes),
        sync: async () => {
          await file.sync();
          await syncFolder(dirname(path));
        },
        close: () => file.close(),
      };
    },

    read: (name, range) => createReadStream(pathOf(name), range),

    withLocal: (name, use) => use(resolve(pathOf(name))),

    remove: (name) => rm(pathOf(name), { force: true }),

    removeFolder: (name) => rm(pathOf(name), { force: true, recursive: true }),

    filesIn: async (name) => {
      const entries = (await readdir(pathOf(name)).catch(ignoreMissing)) ?? [];
      const files = entries.map(async (entry) => {
        const found = await stat(join(pathOf(name), entry)).catch(ignoreMissing);
        return found === null ? [] : [{ name: `${name}/${entry}`, modifiedAt: found.mtimeMs }];
      });
      return (await Promise.all(files)).flat();
    },

    path: (name) => resolve(pathOf(name)),

    link: async () => null,

    checkWritable: async () => {
      await createFolder(folder);
      const probe = join(folder, probeName);
      await writeFile(probe, 'x', { mode: 0o600 });
      await rm(probe, { force: true });
    },

    checkUploads: async () => null,

    async *list() {
      const entries = await opendir(folder, { recursive: true }).catch(ignoreMissing);
      if (entries === null) return;
      for await (const entry of entries) {
        if (!entry.isFile() || entry.name.endsWith(temporarySuffix)) continue;
        const name = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/');
        // The file may have been removed in the meantime.
        const file = nameRule.test(name) ? await find(name) : null;
        if (file !== null) yield file;
      }
    },
  };
}

/**
 * Like `mkdir` with `recursive`, which never returns if a folder exists but nothing can be created in it, such as one
 * that was deleted while it was mounted (Node.js 26).
 */
export async function createFolder(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 }).catch(ignoreExisting);
  try {
    await make();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    await createFolder(dirname(path));
    await make();
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

export function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
