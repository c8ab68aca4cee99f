import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { backUp } from '../../src/backup/backup.ts';
import { checkSeal, openBackup } from '../../src/backup/format.ts';
import { restore } from '../../src/backup/restore.ts';
import { keyFileOf } from '../../src/storage/data-key.ts';
import type { Database } from '../../src/storage/database.ts';
import type { MediaStore } from '../../src/storage/media.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from '../support/engines.ts';
import { type Content, contentOf } from '../support/stored-rows.ts';

export async function withDatabase<T>(databaseUrl: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(locationOf(databaseUrl), () => {});
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

export async function backUpToBytes(
  databaseUrl: string,
  media?: MediaStore,
): Promise<{ bytes: Buffer; sha256: string }> {
  const chunks: Buffer[] = [];
  const target = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  const { content } = await withDatabase(databaseUrl, (database) =>
    backUp(database, target, { service: 'test', now: Date.now, media, keyFile: keyFileOf(locationOf(databaseUrl)) }),
  );
  return { bytes: Buffer.concat(chunks), sha256: content.sha256 };
}

export async function restoreBytes(
  databaseUrl: string,
  bytes: Buffer,
  isReplacing = false,
  mediaFolder = join(tmpdir(), `voice-agents-media-${process.pid}`),
): Promise<void> {
  await withDatabase(databaseUrl, async (database) => {
    await restore(database, await openBackup(inPieces(bytes)), {
      isReplacing,
      now: Date.now,
      mediaFolder,
      keyFile: keyFileOf(locationOf(databaseUrl)),
    });
  });
}

/** In chunks, as from a file or a pipe. */
export async function* inPieces(bytes: Buffer, length = 1000): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

export async function readThrough(bytes: Buffer): Promise<void> {
  await (await openBackup(inPieces(bytes))).read(64, async () => {});
}

export { checkSeal };

/** Every row of every table that belongs in a backup, as the database has it. */
export async function allRows(databaseUrl: string): Promise<Content> {
  return (await contentOf(databaseUrl)) ?? {};
}
