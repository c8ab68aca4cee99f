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
  /** Fewer bytes only at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  truncate(bytes: number): Promise<void>;
  /** Resolves once everything that was written is durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export type MediaStore = ReturnType<typeof createMediaStore>;

/** Letters, digits, `_`, `-` and inner dots, in folders. Cannot lead out of the folder of the store. */
const nameRule = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*(\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$/;
const temporarySuffix = '.incomplete';
/** Not a name of a media file. All processes use the same one, so that a crash leaves no more than one behind. */
const probeName = '.writable';

/** Files that are too large for the database, such as recordings, in a folder. */
export function createMediaStore(folder: string) {
  const pathOf = (name: string): string => {
    if (!nameRule.test(name) || name.length > 255) throw new TypeError(`not the name of a media file: ${name}`);
    return join(folder, ...name.split('/'));
  };

  /** Null if the file does not exist. */
  const find = async (name: string): Promise<MediaFile | null> => {
    const found = await stat(pathOf(name)).catch(ignoreMissing);
    return found?.isFile() ? { name, bytes: found.size } : null;
  };

  return {
    find,

    /** Resolves once the file is durable. Until then no file has this name. */
    write: async (name: string, content: AsyncIterable<Uint8Array>): Promise<void> => {
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
    },

    /** Opens the file, or creates it: for content that must not be lost with its process. */
    open: async (name: string): Promise<OpenMediaFile> => {
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
        read: async (position, length) => {
          const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, position);
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

    /** The bytes from `start` up to and including `end`. */
    read: (name: string, range?: { readonly start: number; readonly end: number }): AsyncIterable<Buffer> =>
      createReadStream(pathOf(name), range),

    remove: (name: string): Promise<void> => rm(pathOf(name), { force: true }),

    /** Removes a folder with all of its files, also those that are being written. */
    removeFolder: (name: string): Promise<void> => rm(pathOf(name), { force: true, recursive: true }),

    /** The files of a folder, also those that are being written, or were when their process was lost. */
    filesIn: async (name: string): Promise<{ readonly name: string; readonly modifiedAt: number }[]> => {
      const entries = (await readdir(pathOf(name)).catch(ignoreMissing)) ?? [];
      const files = entries.map(async (entry) => {
        const found = await stat(join(pathOf(name), entry)).catch(ignoreMissing);
        return found === null ? [] : [{ name: `${name}/${entry}`, modifiedAt: found.mtimeMs }];
      });
      return (await Promise.all(files)).flat();
    },

    /** The absolute path of a file, for other processes. */
    path: (name: string): string => resolve(pathOf(name)),

    /** Rejects if no file can be written. */
    checkWritable: async (): Promise<void> => {
      await createFolder(folder);
      const probe = join(folder, probeName);
      await writeFile(probe, 'x', { mode: 0o600 });
      await rm(probe, { force: true });
    },

    async *list(): AsyncGenerator<MediaFile> {
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
async function createFolder(path: string): Promise<void> {
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

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
