import { createHash, type Hash } from 'node:crypto';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { Value } from '../storage/database.ts';
import { newestSchema } from '../storage/migrate.ts';
import { mediaTable, type Table, tablesOf } from './tables.ts';

/**
 * A backup is a Zstandard file that standard tools can decompress: lines of JSON, starting with the creator, the time
 * and the schema, followed by each table with its rows in key order, the row counts, and the digest of all table lines.
 * Skippable frames at the start and the end hold the magic number of a backup and the digest of all bytes before it,
 * which detects any changed bit.
 */

export interface Head {
  /** When the snapshot was taken. */
  readonly createdAt: string;
  readonly engine: 'sqlite' | 'postgres';
  readonly schema: number;
  /** The version of the service that wrote the backup. */
  readonly service: string;
}

export interface Content {
  /** Row counts by table name. */
  readonly rows: Readonly<Record<string, number>>;
  /** Only for a backup with media files. */
  readonly media?: { readonly files: number; readonly bytes: number };
  /** The digest of all rows: the same for the same content on either engine. */
  readonly sha256: string;
}

export interface Batch {
  readonly table: Table;
  readonly rows: readonly (readonly Value[])[];
}

/** A file that is not a complete backup, or not one for this version. The message is printed after the file name. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

const markStart = 'voice-agents backup ';
const mark = skippableFrame(0, Buffer.from(`${markStart}1\n`));
const digestBytes = 32;
const sealLength = skippableFrame(1, Buffer.alloc(digestBytes)).length;
/** Rows are passed to the compressor in pieces of at least this many characters. */
const pieceLength = 64 * 1024;
const compression = {
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
};

function skippableFrame(kind: number, content: Buffer): Buffer {
  const start = Buffer.alloc(8);
  start.writeUInt32LE(0x184d2a50 + kind, 0);
  start.writeUInt32LE(content.length, 4);
  return Buffer.concat([start, content]);
}

/** Writes a backup of these batches, which arrive table by table. Resolves when `target` has ended. */
export async function writeBackup(head: Head, batches: AsyncIterable<Batch>, target: Writable): Promise<Content> {
  const content = countContent();
  const lines = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(`${JSON.stringify(head)}\n`);
    let current: Table | null = null;
    for await (const { table, rows } of batches) {
      let piece = '';
      const take = (): Buffer => {
        const bytes = Buffer.from(piece);
        content.digest.update(bytes);
        piece = '';
        return bytes;
      };
      if (table !== current) {
        current = table;
        piece = tableLine(table);
      }
      content.count(table, rows);
      for (const row of rows) {
        piece += `${JSON.stringify(row.map(toJson))}\n`;
        if (piece.length >= pieceLength) yield take();
      }
      yield take();
    }
    yield Buffer.from(`${JSON.stringify(content.result())}\n`);
  };
  // One piece at a time: reading ahead would only use memory.
  await pipeline(Readable.from(lines(), { highWaterMark: 1 }), createZstdCompress(compression), sealed, target);
  return content.result();
}

async function* sealed(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const digest = createHash('sha256').update(mark);
  yield mark;
  for await (const chunk of compressed) {
    digest.update(chunk);
    yield chunk;
  }
  yield skippableFrame(1, digest.digest());
}

/** Yields the bytes between the magic number and the seal, and throws at the end if the digest does not match. */
async function* unsealed(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const digest = createHash('sha256').update(mark);
  let buffered: Buffer = Buffer.alloc(0);
  let isMarked = false;
  for await (const chunk of source) {
    buffered = Buffer.concat([buffered, chunk]);
    if (!isMarked) {
      if (buffered.length < mark.length) continue;
      checkMark(buffered);
      isMarked = true;
      buffered = buffered.subarray(mark.length);
    }
    if (buffered.length <= sealLength) continue;
    const bytes = buffered.subarray(0, buffered.length - sealLength);
    buffered = buffered.subarray(bytes.length);
    digest.update(bytes);
    yield bytes;
  }
  if (!isMarked) checkMark(buffered);
  if (!buffered.equals(skippableFrame(1, digest.digest()))) throw damaged();
}

function checkMark(start: Buffer): void {
  if (start.length === 0) throw new BackupError('is empty');
  if (start.length >= mark.length && start.subarray(0, mark.length).equals(mark)) return;
  const text = start.subarray(8, mark.length).toString('latin1');
  if (!markStart.startsWith(text.slice(0, markStart.length))) throw new BackupError('is not a backup of this service');
  if (start.length < mark.length || !/ \d+\n$/.test(text)) throw damaged();
  throw new BackupError(
    'was created by a newer version of the service, in a format that this version does not support',
  );
}

function damaged(cause?: unknown): BackupError {
  return new BackupError('is damaged or incomplete', { cause });
}

/** Throws unless the file is a complete, unmodified backup. */
export async function checkSeal(source: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of unsealed(source));
}

export interface OpenedBackup {
  readonly head: Head;
  /** Passes every row to `take`. The content is only verified once this has resolved. */
  read(rowsInBatch: number, take: (batch: Batch) => Promise<void>): Promise<Content>;
}

export async function openBackup(source: AsyncIterable<Buffer>): Promise<OpenedBackup> {
  const lines = linesOf(source);
  try {
    const { value: line, done } = await lines.next();
    if (done) throw damaged();
    const head = parse(line) as Head;
    if (!(Number.isInteger(head.schema) && head.schema >= 1)) throw damaged();
    if (head.schema > newestSchema) {
      throw new BackupError(
        `has schema version ${head.schema}, from version ${head.service} of the service; this version supports up to ${newestSchema}. Restore it with the newer version`,
      );
    }
    return {
      head,
      read: (rowsInBatch, take) => readRows(lines, [...tablesOf(head.schema), mediaTable], rowsInBatch, take),
    };
  } catch (error) {
    await lines.return(undefined);
    throw error;
  }
}

async function readRows(
  lines: AsyncGenerator<string>,
  tables: readonly Table[],
  rowsInBatch: number,
  take: (batch: Batch) => Promise<void>,
): Promise<Content> {
  const content = countContent();
  let table: Table | null = null;
  let rows: Value[][] = [];
  let end: unknown = null;
  let issue: { readonly error: unknown } | null = null;
  const passOn = async (batch: Batch): Promise<void> => {
    if (issue !== null) return;
    try {
      await take(batch);
    } catch (error) {
      // Thrown after the rest has been read: invalid rows may be the result of a damaged file, which is reported
      // instead.
      issue = { error };
    }
  };
  for await (const line of lines) {
    if (end !== null) throw damaged();
    const value = parse(line);
    if (Array.isArray(value)) {
      if (table === null || !isRowOf(table, value)) throw damaged();
      const row = value.map(fromJson);
      rows.push(row);
      content.digest.update(`${line}\n`);
      content.count(table, [row]);
      if (rows.length < rowsInBatch) continue;
    }
    if (table !== null && rows.length > 0) await passOn({ table, rows });
    rows = [];
    if (Array.isArray(value)) continue;
    const next = tables.find((known) => `${line}\n` === tableLine(known));
    if (next === undefined) end = value;
    else {
      table = next;
      content.digest.update(`${line}\n`);
    }
  }
  const result = content.result();
  if (JSON.stringify(end) !== JSON.stringify(result)) throw damaged();
  if (issue !== null) throw (issue as { error: unknown }).error;
  return result;
}

function tableLine({ name, columns }: Table): string {
  return `${JSON.stringify({ table: name, columns })}\n`;
}

/** A value in a line. Bytes are an object with a base64 string. */
type JsonValue = string | number | null | { readonly base64: string };

function toJson(value: Value): JsonValue {
  if (!(value instanceof Uint8Array)) return value;
  return { base64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
}

function fromJson(value: JsonValue): Value {
  return typeof value === 'object' && value !== null ? Buffer.from(value.base64, 'base64') : value;
}

function isRowOf({ columns }: Table, row: readonly unknown[]): row is JsonValue[] {
  return row.length === columns.length && row.every(isJsonValue);
}

function isJsonValue(value: unknown): value is JsonValue {
  if (value === null || typeof value === 'string' || Number.isFinite(value)) return true;
  return typeof value === 'object' && typeof (value as { base64?: unknown }).base64 === 'string';
}

function parse(line: string): unknown {
  try {
    const value = JSON.parse(line) as unknown;
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported below, like any other invalid line.
  }
  throw damaged();
}

async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decompressor = createZstdDecompress();
  // A failure ends the decompressor, which reports it below.
  pipeline(Readable.from(unsealed(source), { highWaterMark: 1 }), decompressor).catch(() => {});
  const pieces: Buffer[] = [];
  try {
    for await (const chunk of decompressor as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
        const rest = chunk.subarray(start, end);
        yield (pieces.length === 0 ? rest : Buffer.concat([...pieces.splice(0), rest])).toString();
        start = end + 1;
      }
      if (start < chunk.length) pieces.push(chunk.subarray(start));
    }
  } catch (error) {
    // Errors of the source and of the seal have their own messages; those of the decompressor only describe bytes.
    const isOwn = error instanceof BackupError || (error as { syscall?: unknown }).syscall !== undefined;
    throw isOwn ? error : damaged(error);
  }
  if (pieces.length > 0) throw damaged();
}

function countContent() {
  const digest: Hash = createHash('sha256');
  const counts: Record<string, number> = {};
  const media = { files: 0, bytes: 0 };
  let sha256: string | null = null;
  return {
    digest,
    count: (table: Table, rows: readonly (readonly Value[])[]): void => {
      if (table.name !== mediaTable.name) {
        counts[table.name] = (counts[table.name] ?? 0) + rows.length;
        return;
      }
      for (const [, part, bytes] of rows) {
        if (part === 0) media.files += 1;
        media.bytes += (bytes as Uint8Array).length;
      }
    },
    result: (): Content => {
      sha256 ??= digest.digest('hex');
      return { rows: counts, ...(media.files === 0 ? {} : { media }), sha256 };
    },
  };
}
