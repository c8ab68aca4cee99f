import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { migrateTo } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { type Engine, locationOf } from '../support/engines.ts';

/** One folder per release, with its databases. */
export const releasesFolder = fileURLToPath(new URL('.', import.meta.url));

/** What their secrets are sealed with. */
export const dataKey = Buffer.alloc(32, 7);

/** What is in the database of a release. */
export interface Names {
  /** An API key with all scopes. */
  readonly key: string;
  readonly workspaceId: string;
  readonly apiKeyId: string;
  /** With two published versions and a draft. */
  readonly agentId: string;
  /** Ended, with two analyses. */
  readonly callId: string;
  readonly openCallId: string;
  readonly redactedCallId: string;
  readonly toolCallId: string;
  readonly recordedCallId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly eventId: string;
  /** In milliseconds. */
  readonly madeAt: number;
}

/** A copy of the database of a release. */
export async function openRelease(engine: Engine, release: string): Promise<{ databaseUrl: string; names: Names }> {
  const file = (name: string) => readFileSync(join(releasesFolder, release, name));
  const names: Names = JSON.parse(String(file(`${engine.name}-names.json`)));
  const databaseUrl = await engine.newDatabaseUrl();
  if (engine.name === 'sqlite') {
    writeFileSync(databaseUrl.slice('sqlite:'.length), gunzipSync(file('sqlite.db.gz')), { mode: 0o600 });
    return { databaseUrl, names };
  }
  const tables: Record<string, Record<string, unknown>[]> = JSON.parse(
    String(gunzipSync(file('postgres-rows.json.gz'))),
  );
  const { schema_migrations: done = [], ...others } = tables;
  const database = openDatabase(locationOf(databaseUrl), () => {});
  await database.exclusive((queries) => migrateTo(done.length, queries, database.dialect, Date.now));
  await database.close();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // Without foreign keys, the order of the tables does not matter.
  await client.query('SET session_replication_role = replica');
  for (const [table, rows] of Object.entries(others)) {
    for (const row of rows) {
      const places = Object.keys(row).map((_, index) => `$${index + 1}`);
      const sql = `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`;
      await client.query(sql, Object.values(row).map(columnValue));
    }
  }
  await client.end();
  return { databaseUrl, names };
}

function columnValue(stored: unknown): unknown {
  return stored !== null && typeof stored === 'object' && 'base64' in stored
    ? Buffer.from(String(stored.base64), 'base64')
    : stored;
}

export const releases = readdirSync(releasesFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
