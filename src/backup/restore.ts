import type { Database, Dialect, Queries } from '../storage/database.ts';
import { migrateTo, newestSchema, schemaOf } from '../storage/migrate.ts';
import { rowsInBatch } from './backup.ts';
import type { Batch, Content, OpenedBackup } from './format.ts';
import { restoreMedia } from './media.ts';
import { mediaTable, tablesOf, tablesWithoutBackup } from './tables.ts';

/** The database has data, and nobody said that it may go. */
export class DatabaseNotEmptyError extends Error {
  override readonly name = 'DatabaseNotEmptyError';
  readonly rows: Readonly<Record<string, number>>;

  constructor(rows: Readonly<Record<string, number>>) {
    super('the database is not empty');
    this.rows = rows;
  }
}

export interface RestoreOptions {
  /** Whether data that is there may be removed. */
  readonly isReplacing: boolean;
  readonly now: () => number;
  /** Where media files of the backup go. */
  readonly mediaFolder: string;
}

/**
 * Fills the database with what is in the backup and brings it to the schema of this version: all of it in one
 * transaction, so that whatever happens before its end leaves the database as it was. The index of names is not in a
 * backup: PostgreSQL fills it here, on SQLite the service does so after its start.
 */
export async function restore(
  database: Database,
  backup: OpenedBackup,
  { isReplacing, now, mediaFolder }: RestoreOptions,
): Promise<Content> {
  const media = restoreMedia(mediaFolder, isReplacing);
  try {
    const content = await restoreDatabase(database, backup, { isReplacing, now }, media.take);
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
  takeMedia: (rows: Batch['rows']) => Promise<void>,
): Promise<Content> {
  const { dialect } = database;
  return database.exclusive(async (queries) => {
    const schema = await schemaOf(queries, dialect);
    if (!isReplacing) await refuseData(queries, schema);
    await removeTables(queries, dialect);
    await migrateTo(backup.head.schema, queries, dialect, now);
    const indexes = dialect.engine === 'postgres' ? await dropIndexes(queries) : [];
    const content = await backup.read(rowsInBatch, (batch) =>
      batch.table.name === mediaTable.name ? takeMedia(batch.rows) : insert(queries, batch),
    );
    for (const definition of indexes) await queries.run(definition);
    await migrateTo(newestSchema, queries, dialect, now);
    // Until it knows how large the tables are, PostgreSQL plans as if they were empty.
    if (dialect.engine === 'postgres') {
      for (const { name } of tablesOf(newestSchema)) await queries.run(`ANALYZE ${name}`);
    }
    return content;
  });
}

/** Secrets that every start makes anew are no data that anybody would miss. */
async function refuseData(queries: Queries, schema: number): Promise<void> {
  const rows: Record<string, number> = {};
  for (const { name } of tablesOf(schema)) {
    const row = await queries.get<{ count: number }>(`SELECT count(*) AS count FROM ${name}`);
    if (name !== 'settings' && row !== undefined && row.count > 0) rows[name] = row.count;
  }
  if (Object.keys(rows).length > 0) throw new DatabaseNotEmptyError(rows);
}

async function removeTables(queries: Queries, { engine }: Dialect): Promise<void> {
  // Somebody who looks at the tables in a session of their own is waited for a while, and not for ever.
  if (engine === 'postgres') await queries.run("SET LOCAL lock_timeout = '10s'");
  const filled = tablesOf(newestSchema).map(({ name }) => name);
  for (const name of [...tablesWithoutBackup, ...filled.reverse()]) await queries.run(`DROP TABLE IF EXISTS ${name}`);
  if (engine === 'postgres') await queries.run('DROP FUNCTION IF EXISTS agent_name_grams');
}

/** Those that no constraint needs: made of all rows at once, they take a fraction of the time. Answers how to. */
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
  let number = 0;
  const places = rows.map(() => `(${columns.map(() => `$${++number}`).join(', ')})`);
  await queries.run(`INSERT INTO ${name} (${columns.join(', ')}) VALUES ${places.join(', ')}`, rows.flat());
}
