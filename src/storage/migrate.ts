import type { Database, Dialect, Queries, Reads } from './database.ts';
import type { Migration } from './migration.ts';
import { twoReleases } from './migrations/0027-two-releases.ts';
import { migrations } from './migrations/index.ts';

export const newestSchema = migrations.length;

export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';
}

export interface MigrateOptions {
  /** Tests have some of a later release. */
  readonly all?: readonly Migration[];
  /** A migration waits until tables are free that others use. Called again and again. */
  readonly onBlocked?: () => void;
}

/**
 * Migrates the database to the schema of this version, or leaves it if it has a later one that this version can use.
 * Concurrent processes wait and find it done. An empty database is migrated in one transaction. On PostgreSQL, one that
 * may be in use is migrated in a transaction for each migration, because what it locks is locked until its end.
 */
export async function migrate(
  database: Database,
  now: () => number,
  { all = migrations, onBlocked = () => {} }: MigrateOptions = {},
): Promise<void> {
  const { dialect } = database;
  for (;;) {
    const step = await database.exclusive(
      async (queries): Promise<Migration | 'taken' | 'done'> => {
        const schema = await schemaFor(all.length, queries, dialect);
        const next = all[schema];
        if (next === undefined) return 'done';
        const isInUse = dialect.engine === 'postgres' && schema > 0;
        if (isInUse && next.index !== undefined) return next;
        await migrateTo(isInUse ? schema + 1 : all.length, queries, dialect, now, all);
        return 'taken';
      },
      { onBlocked },
    );
    if (step === 'done') return;
    if (step === 'taken') continue;
    const { index, version } = step;
    if (index !== undefined) await database.buildIndex(index.name, index.on);
    await database.exclusive(async (queries) => {
      const schema = await schemaFor(all.length, queries, dialect);
      // Another process may have built it at the same time.
      if (schema === version - 1) await record(queries, step, now);
    });
  }
}

/** Migrates up to one schema version, within an exclusive transaction. */
export async function migrateTo(
  schema: number,
  queries: Queries,
  dialect: Dialect,
  now: () => number,
  all: readonly Migration[] = migrations,
): Promise<void> {
  await queries.run(
    `CREATE TABLE IF NOT EXISTS schema_migrations (version ${dialect.integerType} PRIMARY KEY, name TEXT NOT NULL, applied_at ${dialect.integerType} NOT NULL)`,
  );
  for (const migration of all.slice(await schemaFor(all.length, queries, dialect), schema)) {
    const { index } = migration;
    for (const statement of migration.statements(dialect)) await queries.run(statement);
    if (index !== undefined) await queries.run(`CREATE INDEX ${index.name} ON ${index.on}`);
    await record(queries, migration, now);
  }
}

async function record(
  queries: Queries,
  { version, name, compatibleFrom }: Migration,
  now: () => number,
): Promise<void> {
  await queries.run('INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)', [
    version,
    name,
    now(),
  ]);
  if (compatibleFrom === undefined) return;
  await queries.run('UPDATE schema_migrations SET compatible_from = $2 WHERE version = $1', [version, compatibleFrom]);
}

/** The schema version of the database, 0 if it is empty. Throws if it is later than that of this version. */
export async function schemaOf(queries: Reads, dialect: Dialect): Promise<number> {
  const { version } = await stateOf(queries, dialect);
  if (version > newestSchema) throw tooNew(version, newestSchema);
  return version;
}

/** Whether no service was ever started with it. */
export async function isEmpty(database: Database): Promise<boolean> {
  return (await stateOf(database, database.dialect)).version === 0;
}

/** The schema version of the database. Throws if a process of schema `own` must not use it. */
async function schemaFor(own: number, queries: Reads, dialect: Dialect): Promise<number> {
  const { version, compatibleFrom } = await stateOf(queries, dialect);
  if (compatibleFrom > own) throw tooNew(version, own);
  return version;
}

/** Whether the process can serve: the database has its schema, or a later one that it can use. */
export async function isMigrated(database: Database): Promise<boolean> {
  const { version, compatibleFrom } = await readState(database);
  return version >= database.schema && compatibleFrom <= database.schema;
}

interface SchemaState {
  readonly version: number;
  /** Processes of an earlier schema must not use it. */
  readonly compatibleFrom: number;
}

async function stateOf(queries: Reads, dialect: Dialect): Promise<SchemaState> {
  const tables = await queries.all<{ name: string }>(dialect.tableNames);
  if (!tables.some(({ name }) => name === 'schema_migrations')) return { version: 0, compatibleFrom: 0 };
  const row = await queries.get<{ version: number | null }>('SELECT max(version) AS version FROM schema_migrations');
  const version = row?.version ?? 0;
  return version < twoReleases.version ? { version, compatibleFrom: 0 } : readState(queries);
}

async function readState(queries: Reads): Promise<SchemaState> {
  const row = await queries.get<{ version: number | null; compatible_from: number | null }>(
    'SELECT max(version) AS version, max(compatible_from) AS compatible_from FROM schema_migrations',
  );
  return { version: row?.version ?? 0, compatibleFrom: row?.compatible_from ?? 0 };
}

function tooNew(version: number, own: number): SchemaTooNewError {
  return new SchemaTooNewError(
    `The database has schema version ${version}, created by a newer version of the service; this version supports up to ${own}. Start the newer version, or restore a backup from before the upgrade.`,
  );
}
