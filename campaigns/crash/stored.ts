import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { newestSchema } from '../../src/storage/migrate.ts';
import { locationOf } from '../../test/support/engines.ts';
import { entryLine, type SavedResponse } from './ledger.ts';

export interface StoredAgent {
  readonly document: string;
  readonly etag: string;
  readonly version: number;
  readonly isPublished: boolean;
}

/** The content of the database, read directly. */
export interface Stored {
  readonly agents: ReadonlyMap<string, StoredAgent>;
  /** Earlier versions: their documents by `id version`. */
  readonly versions: ReadonlyMap<string, string>;
  readonly entries: readonly string[];
  readonly savedResponses: ReadonlyMap<string, SavedResponse>;
  readonly lastUses: ReadonlyMap<string, number | null>;
}

type Row = Record<string, unknown>;

/** A database in the state after a kill. */
export interface CrashedDatabase {
  all(sql: string): Promise<Row[]>;
  close(): Promise<unknown>;
}

const endings = ['', '-wal'];

/** Copies the file and its WAL, so that the service does its own recovery. */
export function copyOfSqlite(databaseUrl: string, folder: string): CrashedDatabase {
  const location = locationOf(databaseUrl);
  if (location.engine !== 'sqlite') throw new Error('not SQLite');
  const copy = `${folder}/copy-${performance.now()}.db`;
  for (const ending of endings) {
    if (existsSync(location.file + ending)) copyFileSync(location.file + ending, copy + ending);
  }
  const database = new DatabaseSync(copy);
  return {
    all: async (sql) => database.prepare(sql).all() as Row[],
    close: async () => {
      database.close();
      for (const ending of endings) rmSync(copy + ending, { force: true });
    },
  };
}

/** PostgreSQL after the service was killed. The server keeps running and may still execute the last statements. */
export interface KilledPostgres {
  /** The backend pids of the service. */
  pids(): Promise<number[]>;
  /** Call it when the service is dead. Resolves once all of its statements have ended. */
  openCrashed(): Promise<CrashedDatabase>;
  close(): Promise<unknown>;
}

export async function openKilledPostgres(databaseUrl: string): Promise<KilledPostgres> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const all = async (sql: string) => (await client.query(sql)).rows as Row[];
  const pids = async () => {
    const rows = await all(`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'voice-agent-service'`);
    return rows.map(({ pid }) => Number(pid));
  };
  return {
    pids,
    openCrashed: async () => {
      while ((await pids()).length > 0) await delay(2);
      return { all, close: async () => {} };
    },
    close: () => client.end(),
  };
}

/** Null if the schema is either complete or absent. */
export async function schemaIssue({ all }: CrashedDatabase, engine: 'sqlite' | 'postgres'): Promise<string | null> {
  const tables = await all(
    engine === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  if (tables.length === 0) return null;
  if (!tables.some(({ name }) => name === 'schema_migrations')) return 'there are tables without a schema number';
  const [row] = await all('SELECT max(version) AS version FROM schema_migrations');
  return Number(row?.version) === newestSchema ? null : `the schema is ${row?.version}, half of the way`;
}

/** What the integrity check of SQLite reports. */
export async function fileIssues({ all }: CrashedDatabase): Promise<string[]> {
  const integrity = (await all('PRAGMA integrity_check')).map((row) => String(row.integrity_check));
  const dangling = (await all('PRAGMA foreign_key_check')).map((row) => `a row of ${row.table} points to nothing`);
  return [...integrity.filter((line) => line !== 'ok'), ...dangling];
}

export async function readStored({ all }: CrashedDatabase): Promise<Stored> {
  const agents = await all('SELECT id, doc, etag, version, is_published FROM agents');
  const versions = await all('SELECT agent_id, version, doc FROM agent_versions');
  const entries = await all('SELECT doc FROM audit_log');
  const saved = await all('SELECT key_hash, headers, body FROM idempotency_keys');
  const keys = await all('SELECT id, last_used_at FROM api_keys');
  return {
    agents: new Map(
      agents.map(({ id, doc, etag, version, is_published }) => [
        String(id),
        {
          document: String(doc),
          etag: String(etag),
          version: Number(version),
          isPublished: Number(is_published) === 1,
        },
      ]),
    ),
    versions: new Map(versions.map((row) => [`${row.agent_id} ${row.version}`, String(row.doc)])),
    entries: entries.map(({ doc }) => {
      const { requestId, routeId, resourceId } = JSON.parse(String(doc));
      return entryLine(requestId, routeId, resourceId);
    }),
    savedResponses: new Map(
      saved.map(({ key_hash, headers, body }) => [
        String(key_hash),
        { body: String(body), etag: JSON.parse(String(headers))?.etag ?? null },
      ]),
    ),
    lastUses: new Map(
      keys.map(({ id, last_used_at }) => [String(id), last_used_at === null ? null : Number(last_used_at)]),
    ),
  };
}
