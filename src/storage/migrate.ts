import type { Database, Dialect, Queries, Reads } from './database.ts';
import { migrations } from './migrations/index.ts';

export const newestSchema = migrations.length;

export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';
}

/** Migrates the database to the schema of this version. Concurrent processes wait and find it done. */
export async function migrate(database: Database, now: () => number): Promise<void> {
  await database.exclusive((queries) => migrateTo(newestSchema, queries, database.dialect, now));
}

/** Migrates up to one schema version, within an exclusive transaction. */
export async function migrateTo(schema: number, queries: Queries, dialect: Dialect, now: () => number): Promise<void> {
  await queries.run(
    `CREATE TABLE IF NOT EXISTS schema_migrations (version ${dialect.integerType} PRIMARY KEY, name TEXT NOT NULL, applied_at ${dialect.integerType} NOT NULL)`,
  );
  for (const migration of migrations.slice(await schemaOf(queries, dialect), schema)) {
    for (const statement of migration.statements(dialect)) await queries.run(statement);
    await queries.run('INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)', [
      migration.version,
      migration.name,
      now(),
    ]);
  }
}

/** The schema version of the database, 0 if it is empty. */
export async function schemaOf(queries: Reads, dialect: Dialect): Promise<number> {
  const tables = await queries.all<{ name: string }>(dialect.tableNames);
  if (!tables.some(({ name }) => name === 'schema_migrations')) return 0;
  const row = await queries.get<{ version: number | null }>('SELECT max(version) AS version FROM schema_migrations');
  const current = row?.version ?? 0;
  if (current > newestSchema) {
    throw new SchemaTooNewError(
      `The database has schema version ${current}, created by a newer version of the service; this version supports up to ${newestSchema}. Start the newer version, or restore a backup from before the upgrade.`,
    );
  }
  return current;
}

/** Whether the database has the schema of this version. */
export async function isMigrated(database: Database): Promise<boolean> {
  const row = await database.get<{ version: number | null }>('SELECT max(version) AS version FROM schema_migrations');
  return row?.version === newestSchema;
}
