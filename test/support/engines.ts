import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import pg from 'pg';
import { type DatabaseLocation, readDatabaseLocation } from '../../src/config.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';

export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  /** The URL of a new, empty database, as DATABASE_URL. It is removed after the suite. */
  newDatabaseUrl(): Promise<string>;
  /** The same for a service, which would migrate it: it may already have the newest schema. */
  newServiceUrl(): Promise<string>;
}

/** `npm run test:quick` has no PostgreSQL server, and leaves tests of SQL to `npm test`. */
const isQuick = process.env.TEST_QUICK === 'true';

/** An option of `describe`: skips the suite if there is no PostgreSQL server. */
export const onPostgres = { skip: isQuick && 'in npm test' };

/** Runs the same suite on each engine. `alsoQuick`: on SQLite in the quick tests, too. `timeoutMs`: of the whole suite. */
export function onEachEngine(
  title: string,
  suite: (engine: Engine) => void,
  { alsoQuick = false, timeoutMs }: { readonly alsoQuick?: boolean; readonly timeoutMs?: number } = {},
): void {
  const limit = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  const onSqlite = { ...limit, skip: isQuick && !alsoQuick && 'in npm test' };
  describe(`${title} on SQLite`, onSqlite, () => useEngine(createSqliteEngine(), suite));
  describe(`${title} on PostgreSQL`, { ...limit, ...onPostgres }, () => useEngine(createPostgresEngine(), suite));
}

/** For a suite about code that is the same on both engines. */
export function onSqlite(title: string, suite: (engine: Engine) => void): void {
  describe(title, { skip: isQuick && 'in npm test' }, () => useEngine(createSqliteEngine(), suite));
}

/** A database that a service has been started with, without a key. */
export async function newMigratedUrl(engine: Engine): Promise<string> {
  const url = await engine.newServiceUrl();
  const database = openDatabase(locationOf(url), () => {});
  await migrate(database, Date.now);
  await database.close();
  return url;
}

/** The databases are removed after all other cleanup of the suite. */
function useEngine(engine: Engine & { remove(): Promise<void> }, suite: (engine: Engine) => void): void {
  suite(engine);
  after(() => engine.remove());
}

/** For a suite about one engine. */
export function sqliteEngine(): Engine {
  const engine = createSqliteEngine();
  after(() => engine.remove());
  return engine;
}

export function postgresEngine(): Engine {
  const engine = createPostgresEngine();
  after(() => engine.remove());
  return engine;
}

export function locationOf(databaseUrl: string): DatabaseLocation {
  return readDatabaseLocation({ DATABASE_URL: databaseUrl });
}

export function createSqliteEngine() {
  const folders: string[] = [];
  const newDatabaseUrl = async (): Promise<string> => {
    const folder = newDatabaseFolder();
    folders.push(folder);
    return `sqlite:${join(folder, 'test.db')}`;
  };
  return {
    name: 'sqlite' as const,
    newDatabaseUrl,
    newServiceUrl: async () => {
      const url = await newDatabaseUrl();
      migratedFile ??= readMigratedFile();
      writeFileSync(fileOf(url), await migratedFile, { mode: 0o600 });
      return url;
    },
    remove: async () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** In memory if `npm test` says so: waiting for the disk would leave processors idle. */
function newDatabaseFolder(): string {
  return mkdtempSync(join(process.env.TEST_DATABASE_FOLDER ?? tmpdir(), 'voice-agents-test-'));
}

function fileOf(databaseUrl: string): string {
  return databaseUrl.slice('sqlite:'.length);
}

/** A file with the newest schema, of which services get copies: the migrations run once in a process. */
let migratedFile: Promise<Buffer> | undefined;

async function readMigratedFile(): Promise<Buffer> {
  const folder = newDatabaseFolder();
  const url = `sqlite:${join(folder, 'migrated.db')}`;
  const database = openDatabase(locationOf(url), () => {});
  await migrate(database, Date.now);
  await database.close();
  const bytes = readFileSync(fileOf(url));
  rmSync(folder, { recursive: true, force: true });
  return bytes;
}

export function createPostgresEngine() {
  const names: string[] = [];
  const newCopyOf = async (template: string): Promise<string> => {
    const name = `test_${randomBytes(8).toString('hex')}`;
    names.push(name);
    // Without writing every page to the log, which takes four times as long.
    const sql = `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`;
    await withPostgres((client) => client.query(sql));
    const url = new URL(postgresUrl());
    url.pathname = `/${name}`;
    return url.href;
  };
  return {
    name: 'postgres' as const,
    newDatabaseUrl: () => newCopyOf('template1'),
    // Campaigns have no template.
    newServiceUrl: () => newCopyOf(process.env.TEST_POSTGRES_TEMPLATE ?? 'template1'),
    remove: () =>
      withPostgres(async (client) => {
        for (const name of names) await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      }),
  };
}

export function postgresUrl(): string {
  const url = process.env.TEST_POSTGRES_URL;
  if (url === undefined) throw new Error('no PostgreSQL for the tests: run them with "npm test [files]"');
  return url;
}

export async function withPostgres(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl() });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
