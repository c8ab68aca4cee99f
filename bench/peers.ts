import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { benchFolder, dataFolder, freePort, node, type Started, start, waitForResponse } from './processes.ts';
import { showProgress } from './progress.ts';
import { type Seed, seed } from './seed.ts';
import { type Server, serverOf, workingCopy } from './servers.ts';
import { type Plans, plansFor } from './works.ts';

/** An alternative implementation: it serves the same routes with the same agents. */
export interface Peer {
  readonly name: string;
  start(seed: Seed): Promise<{ server: Server; plans: Plans }>;
}

const folder = join(benchFolder, 'peers');
const startTimeoutMs = 60_000;
/** json-server keeps everything in memory and scans it for each response, so more agents would be unfair. */
const jsonServerAgents = 1000;

/** The peers, installed and built if necessary; none if that is not possible. */
export function preparePeers(): Peer[] {
  if (!isInstalled()) {
    process.stderr.write('  installing the peers into bench/peers (once, about a minute) …\n');
    const steps: [string, string[]][] = [
      ['npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']],
      [node, [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', '.']],
    ];
    for (const [program, args] of steps) {
      const { status } = spawnSync(program, args, { cwd: folder, stdio: ['ignore', 2, 2] });
      if (status !== 0) {
        process.stderr.write(
          `  the peers are skipped: "${program} ${args.join(' ')}" failed in bench/peers, see above\n`,
        );
        return [];
      }
    }
    writeFileSync(stampFile, fingerprint());
  }
  return [
    sqlPeer('Fastify + drizzle', 'fastify-drizzle', join('dist', 'fastify-drizzle', 'server.js')),
    sqlPeer('NestJS + TypeORM', 'nest-typeorm', join('dist', 'nest-typeorm', 'main.js')),
    jsonServer,
  ];
}

const stampFile = join(folder, 'node_modules', '.bench-stamp');

function isInstalled(): boolean {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === fingerprint();
}

/** A digest of everything that was installed and built. */
function fingerprint(): string {
  const hash = createHash('sha256');
  const sources = ['shared', 'fastify-drizzle', 'nest-typeorm'].flatMap((name) =>
    readdirSync(join(folder, name)).map((file) => join(name, file)),
  );
  const files = ['package-lock.json', 'tsconfig.json', ...sources.sort()];
  for (const file of files) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex');
}

function sqlPeer(name: string, kind: string, program: string): Peer {
  const launch = async (databaseFile: string) => {
    const port = await freePort();
    const process = startScript(program, [], {
      PORT: String(port),
      DATABASE_FILE: databaseFile,
      NODE_ENV: 'production',
    });
    return { process, port };
  };
  return {
    name,
    start: async (seed) => {
      const file = await seededFile(name, kind, seed, async (empty) => {
        // The peer creates its own tables. Without a key its response is a refusal, which shows that it is running.
        const { process, port } = await launch(empty);
        await untilListening(process, port);
        await process.stop();
      });
      const { process, port } = await launch(workingCopy(file));
      const url = `http://127.0.0.1:${port}/api/v1/agents?limit=1`;
      await waitForResponse(process, url, { authorization: `Bearer ${seed.keys[0]}` }, startTimeoutMs);
      await checkResponses(name, port, seed);
      const server = serverOf(process, port);
      const { update: _, ...plans } = await plansFor(server, seed);
      return { server, plans };
    },
  };
}

/** A comparison is only fair if the responses are the same: the stored documents are those of the service. */
async function checkResponses(name: string, port: number, { databaseFile, keys }: Seed): Promise<void> {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  const rows = database.prepare('SELECT doc FROM agents ORDER BY id DESC LIMIT 50').all() as { doc: string }[];
  database.close();
  const agents = rows.map(({ doc }) => JSON.parse(doc) as { id: string });
  const ask = async (path: string) => {
    const headers = { authorization: `Bearer ${keys[0]}` };
    return (await fetch(`http://127.0.0.1:${port}/api/v1/agents${path}`, { headers })).json();
  };
  const { items } = (await ask('')) as { items: unknown };
  if (!isDeepStrictEqual(await ask(`/${agents[0]?.id}`), agents[0]) || !isDeepStrictEqual(items, agents)) {
    throw new Error(`${name} does not answer what the service answers`);
  }
}

const jsonServer: Peer = {
  name: 'json-server, 1,000 agents',
  start: async () => {
    const { databaseFile, idsFile, keys } = await seed(jsonServerAgents);
    const database = new DatabaseSync(databaseFile, { readOnly: true });
    const documents = database.prepare('SELECT doc FROM agents ORDER BY id DESC').all() as { doc: string }[];
    database.close();
    const file = join(dataFolder, 'json-server.json');
    writeFileSync(file, `{"agents":[${documents.map(({ doc }) => doc).join(',')}]}`);
    const port = await freePort();
    const script = join('node_modules', 'json-server', 'lib', 'cli', 'bin.js');
    const process = startScript(script, [file, '--port', String(port), '--host', '127.0.0.1', '--quiet'], {});
    await waitForResponse(process, `http://127.0.0.1:${port}/agents?_limit=1`, {}, startTimeoutMs);
    const pages = (limit: number, count: number) => ({
      kind: 'addresses' as const,
      keys,
      owners: null,
      addresses: Array.from({ length: count }, (_, page) => `/agents?_page=${page + 1}&_limit=${limit}`),
    });
    return {
      server: serverOf(process, port),
      plans: {
        get: { kind: 'get', path: '/agents', keys, idsFile, ownersFile: null },
        'list-50': pages(50, jsonServerAgents / 50),
        'list-200': pages(200, jsonServerAgents / 200),
        'first-page': pages(50, 1),
      },
    };
  },
};

function startScript(program: string, args: string[], environment: Record<string, string>): Started {
  const endsWithUs = ['--import', join(benchFolder, 'stop-with-parent.ts')];
  return start(node, [...endsWithUs, program, ...args], { cwd: folder, environment });
}

async function untilListening(process: Started, port: number): Promise<void> {
  // Any response will do: there is no key yet for a success.
  for (const begin = performance.now(); performance.now() - begin < startTimeoutMs; ) {
    if (process.child.exitCode !== null) break;
    const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    await response?.arrayBuffer();
    if (response !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`a peer did not start: ${process.errorOutput()}`);
}

/** The tables of the peer with the agents and keys of the seeded database, created once and reused. */
async function seededFile(
  name: string,
  kind: string,
  { databaseFile, agents }: Seed,
  makeTables: (file: string) => Promise<void>,
): Promise<string> {
  const source = databaseFile.split('/').at(-2) as string;
  const file = join(dataFolder, 'peers', `${kind}-${source}-${tablesVersion}.db`);
  if (existsSync(file)) return file;
  mkdirSync(join(dataFolder, 'peers'), { recursive: true });
  const unfinished = `${file}.unfinished`;
  for (const end of ['', '-wal', '-shm']) rmSync(`${unfinished}${end}`, { force: true });
  await makeTables(unfinished);
  fillTables(name, unfinished, databaseFile, agents);
  renameSync(unfinished, file);
  return file;
}

/** Incremented when the tables of the peers change. */
const tablesVersion = 1;

function fillTables(name: string, file: string, sourceFile: string, agents: number): void {
  const source = new DatabaseSync(sourceFile, { readOnly: true });
  const target = new DatabaseSync(file);
  const progress = showProgress(`seeding ${name}`, agents);
  target.exec('PRAGMA synchronous = OFF; BEGIN');
  const insertKey = insertion(target, 'api_keys');
  for (const row of source.prepare('SELECT hash, workspace_id AS workspaceId, scopes FROM api_keys').iterate()) {
    insertKey(row as Record<string, unknown>);
  }
  const insertAgent = insertion(target, 'agents');
  let done = 0;
  for (const row of source.prepare('SELECT doc FROM agents ORDER BY id').iterate()) {
    insertAgent(JSON.parse((row as { doc: string }).doc));
    done += 1;
    if (done % 1000 === 0) progress.advanceTo(done);
  }
  target.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE); ANALYZE');
  target.close();
  source.close();
  progress.end();
}

/** Inserts objects into a table whose columns are named like their fields, in camelCase or snake_case. */
function insertion(database: DatabaseSync, table: string): (fields: Record<string, unknown>) => void {
  const columns = database
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name));
  const fieldNames = columns.map((column) => column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  const quoted = columns.map((column) => `"${column}"`).join(', ');
  const statement = database.prepare(`INSERT INTO ${table} (${quoted}) VALUES (${columns.map(() => '?').join(', ')})`);
  return (fields) => {
    statement.run(...fieldNames.map((name) => columnValue(fields[name])));
  };
}

function columnValue(value: unknown): string | number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
