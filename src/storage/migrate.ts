import type { Database, Dialect, Queries, Reads } from './database.ts';
import type { Migration } from './migration.ts';
import { firstTables } from './migrations/0001-first-tables.ts';
import { lifeOfAnAgent } from './migrations/0002-life-of-an-agent.ts';
import { nameIndex } from './migrations/0003-name-index.ts';
import { shorterAuditLog } from './migrations/0004-shorter-audit-log.ts';
import { largeAgents } from './migrations/0005-large-agents.ts';
import { requestFigures } from './migrations/0006-request-figures.ts';
import { jobs } from './migrations/0007-jobs.ts';
import { secrets } from './migrations/0008-secrets.ts';
import { calls } from './migrations/0009-calls.ts';
import { webhooks } from './migrations/0010-webhooks.ts';
import { liveCalls } from './migrations/0011-live-calls.ts';
import { webhookSending } from './migrations/0012-webhook-sending.ts';
import { analysis } from './migrations/0013-analysis.ts';
import { webhookFailures } from './migrations/0014-webhook-failures.ts';
import { fairClaims } from './migrations/0015-fair-claims.ts';
import { documentVersions } from './migrations/0016-document-versions.ts';
import { sealedJobs } from './migrations/0017-sealed-jobs.ts';

/** In order. A released migration never changes; changes are new migrations. */
export const migrations: readonly Migration[] = [
  firstTables,
  lifeOfAnAgent,
  nameIndex,
  shorterAuditLog,
  largeAgents,
  requestFigures,
  jobs,
  secrets,
  calls,
  webhooks,
  liveCalls,
  webhookSending,
  analysis,
  webhookFailures,
  fairClaims,
  documentVersions,
  sealedJobs,
];

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
