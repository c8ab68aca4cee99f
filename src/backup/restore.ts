import { existsSync, renameSync, rmSync } from 'node:fs';
import { dataKeySetting, writeKeyFile } from '../storage/data-key.ts';
import type { Database, Dialect, Queries } from '../storage/database.ts';
import type { MediaStore } from '../storage/media.ts';
import { migrateTo, newestSchema, schemaOf } from '../storage/migrate.ts';
import { migrations } from '../storage/migrations/index.ts';
import { countRows, rowsInBatch } from './backup.ts';
import type { Batch, Content, OpenedBackup } from './format.ts';
import { restoreBucket, restoreMedia } from './media.ts';
import { mediaTable, tablesOf, tablesWithoutBackup } from './tables.ts';

/** The database is not empty, and replacing was not requested. */
export class DatabaseNotEmptyError extends Error {
  override readonly name = 'DatabaseNotEmptyError';
  readonly rows: Readonly<Record<string, number>>;

  constructor(rows: Readonly<Record<string, number>>) {
    super('the database is not empty');
    this.rows = rows;
  }
}

export interface RestoreOptions {
  /** Whether existing data may be removed. */
  readonly isReplacing: boolean;
  readonly now: () => number;
  /** The target folder for media files. */
  readonly mediaFolder: string;
  /** The target for them instead. */
  readonly mediaBucket?: MediaStore | null;
  /** Where the database has its generated data key, if not in its settings. */
  readonly keyFile: string | null;
}

/**
 * Fills the database from the backup and migrates it to the schema of this version, in one transaction, so that a
 * failure leaves the database unchanged. The name index is not in a backup: on PostgreSQL it is built here, on SQLite
 * the service builds it after its start.
 */
export async function restore(
  database: Database,
  backup: OpenedBackup,
  { isReplacing, now, mediaFolder, mediaBucket = null, keyFile }: RestoreOptions,
): Promise<Content> {
  const media = mediaBucket === null ? restoreMedia(mediaFolder, isReplacing) : restoreBucket(mediaBucket, isReplacing);
  try {
    const dataKey = restoreDataKey(keyFile);
    const content = await restoreDatabase(database, backup, { isReplacing, now }, { media: media.take, dataKey }).catch(
      (error: unknown) => {
        dataKey.rollback();
        throw error;
      },
    );
    await (content.media === undefined ? media.rollback() : media.commit());
    return content;
  } catch (error) {
    await media.rollback();
    throw error;
  }
}

function restoreDatabase(
  database: Database,
  backup: OpenedBackup,
  { isReplacing, now }: Pick<RestoreOptions, 'isReplacing' | 'now'>,
  { media, dataKey }: { media: (rows: Batch['rows']) => Promise<void>; dataKey: DataKeyRestore },
): Promise<Content> {
  const { dialect } = database;
  return database.exclusive(async (queries) => {
    const schema = await schemaOf(queries, dialect);
    if (!isReplacing) await requireEmptyDatabase(queries, schema);
    await removeTables(queries, dialect);
    await migrateTo(backup.head.schema, queries, dialect, now);
    const indexes = dialect.engine === 'postgres' ? await dropIndexes(queries) : [];
    const content = await backup.read(rowsInBatch, (batch) =>
      batch.table.name === mediaTable.name ? media(batch.rows) : insert(queries, dataKey.take(batch)),
    );
    for (const definition of indexes) await queries.run(definition);
    await migrateTo(newestSchema, queries, dialect, now);
    for (const statement of migrations.flatMap(({ afterRestore = [] }) => afterRestore)) await queries.run(statement);
    // Without statistics, PostgreSQL plans as if the tables were empty.
    if (dialect.engine === 'postgres') {
      for (const { name } of tablesOf(newestSchema)) await queries.run(`ANALYZE ${name}`);
    }
    dataKey.write();
    return content;
  });
}

/** Secrets that are generated on every start do not count as data. */
async function requireEmptyDatabase(queries: Queries, schema: number): Promise<void> {
  const rows: Record<string, number> = {};
  for (const table of tablesOf(schema)) {
    const count = table.name === 'settings' ? 0 : await countRows(queries, table);
    if (count > 0) rows[table.name] = count;
  }
  if (Object.keys(rows).length > 0) throw new DatabaseNotEmptyError(rows);
}

async function removeTables(queries: Queries, { engine }: Dialect): Promise<void> {
  // Waits a limited time for other sessions that use the tables.
  if (engine === 'postgres') await queries.run("SET LOCAL lock_timeout = '10s'");
  const filled = tablesOf(newestSchema).map(({ name }) => name);
  for (const name of [...tablesWithoutBackup, ...filled.reverse()]) await queries.run(`DROP TABLE IF EXISTS ${name}`);
  if (engine === 'postgres') await queries.run('DROP FUNCTION IF EXISTS agent_name_grams');
}

/**
 * Drops the indexes that no constraint needs, and returns the statements to recreate them: building them over all rows
 * at once takes a fraction of the time.
 */
async function dropIndexes(queries: Queries): Promise<string[]> {
  const tables = tablesOf(newestSchema).map(({ name }) => `'${name}'`);
  const indexes = await queries.all<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
      WHERE schemaname = current_schema() AND tablename IN (${tables.join(', ')})
        AND indexname NOT IN (SELECT conname FROM pg_constraint) ORDER BY indexname`,
  );
  for (const { name } of indexes) await queries.run(`DROP INDEX ${name}`);
  return indexes.map(({ definition }) => definition);
}

async function insert(queries: Queries, { table, rows }: Batch): Promise<void> {
  const { name, columns } = table;
  if (rows.length === 0) return;
  let number = 0;
  const places = rows.map(() => `(${columns.map(() => `$${++number}`).join(', ')})`);
  await queries.run(`INSERT INTO ${name} (${columns.join(', ')}) VALUES ${places.join(', ')}`, rows.flat());
}

interface DataKeyRestore {
  /** Takes the key out of the settings, if it belongs in a file. */
  take(batch: Batch): Batch;
  /** The last step of the restore. */
  write(): void;
  /** The restore has failed: the database has its previous content, and needs its previous key. */
  rollback(): void;
}

/** A key that the service generated is in the settings of a backup; on SQLite it belongs in a file next to the database. */
function restoreDataKey(keyFile: string | null): DataKeyRestore {
  if (keyFile === null) return { take: (batch) => batch, write: () => {}, rollback: () => {} };
  // The key is not deleted: it opens copies of the database file that were made before.
  const previous = `${keyFile}.replaced`;
  let key: string | null = null;
  let isReplaced = false;
  let isWritten = false;
  return {
    take: (batch) => {
      if (batch.table.name !== 'settings') return batch;
      const found = batch.rows.find(([name]) => name === dataKeySetting);
      if (found !== undefined) key = String(found[1]);
      return { ...batch, rows: batch.rows.filter((row) => row !== found) };
    },
    write: () => {
      if (existsSync(keyFile)) {
        renameSync(keyFile, previous);
        isReplaced = true;
      }
      if (key === null) return;
      writeKeyFile(keyFile, key);
      isWritten = true;
    },
    rollback: () => {
      if (isWritten) rmSync(keyFile, { force: true });
      if (isReplaced) renameSync(previous, keyFile);
    },
  };
}
