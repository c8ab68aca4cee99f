import type { Writable } from 'node:stream';
import { dataKeySetting, keyForBackup } from '../storage/data-key.ts';
import type { Database, Reads, Row, Value } from '../storage/database.ts';
import type { MediaStore } from '../storage/media.ts';
import { schemaOf } from '../storage/migrate.ts';
import { type Batch, type Content, type Head, writeBackup } from './format.ts';
import { mediaBatches } from './media.ts';
import { type Table, tablesOf } from './tables.ts';

/** Documents are up to 1 MiB long, so a batch of the longest must still fit into memory. */
export const rowsInBatch = 64;

export interface BackupOptions {
  readonly service: string;
  readonly now: () => number;
  /** Where the database has its generated data key, if not in its settings. */
  readonly keyFile: string | null;
  /** The media files of the database, to include in the backup. */
  readonly media?: MediaStore | undefined;
  /** Called with the rows read so far and the total. Without it, the rows are not counted first. */
  readonly onProgress?: ((rows: number, ofRows: number) => void) | undefined;
}

/**
 * Writes a consistent snapshot of the database, without blocking other processes. The database is not changed, even if
 * it has the schema of an older version.
 */
export function backUp(
  database: Database,
  target: Writable,
  { service, now, keyFile, media, onProgress }: BackupOptions,
): Promise<{ head: Head; content: Content }> {
  const { dialect } = database;
  return database.snapshot(async (queries) => {
    const schema = await schemaOf(queries, dialect);
    const head: Head = { createdAt: new Date(now()).toISOString(), engine: dialect.engine, schema, service };
    const tables = tablesOf(schema);
    let total = 0;
    if (onProgress !== undefined) for (const table of tables) total += await countRows(queries, table);
    const dataKey = await keyForBackup(queries, keyFile);
    let done = 0;
    const batches = async function* (): AsyncGenerator<Batch> {
      for (const table of tables) {
        for await (const found of rowsOf(queries, table)) {
          const rows = table.name === 'settings' ? withDataKey(found, dataKey) : found;
          yield { table, rows };
          done += rows.length;
          onProgress?.(done, total);
        }
      }
      if (media !== undefined) yield* mediaBatches(media);
    };
    return { head, content: await writeBackup(head, batches(), target) };
  });
}

/** The settings as they would be if the database had no file for its key: the same on either engine. */
function withDataKey(settings: Value[][], dataKey: Buffer | null): Value[][] {
  if (dataKey === null) return settings;
  const place = settings.findIndex(([name]) => String(name) > dataKeySetting);
  return settings.toSpliced(place === -1 ? settings.length : place, 0, [dataKeySetting, dataKey.toString('base64')]);
}

export async function countRows(queries: Reads, { name }: Table): Promise<number> {
  return (await queries.get<{ count: number }>(`SELECT count(*) AS count FROM ${name}`))?.count ?? 0;
}

/** The rows of a table in key order; each batch continues after the last row of the previous one. */
async function* rowsOf(queries: Reads, { name, key, columns }: Table): AsyncGenerator<Value[][]> {
  const keyColumns = key.join(', ');
  const after = key.map((_, index) => `$${index + 1}`).join(', ');
  const select = (condition: string) =>
    `SELECT ${columns.join(', ')} FROM ${name} ${condition} ORDER BY ${keyColumns} LIMIT ${rowsInBatch}`;
  let found = await queries.all(select(''));
  while (found.length > 0) {
    yield found.map((row) => columns.map((column) => row[column] as Value));
    const last = found.at(-1) as Row;
    const lastKey = key.map((column) => last[column] as Value);
    found = await queries.all(select(`WHERE (${keyColumns}) > (${after})`), lastKey);
  }
}
