import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { makeKeys } from '../campaigns/keys.ts';
import { openDatabase } from '../src/storage/open.ts';
import { locationOf } from '../test/support/engines.ts';
import { createPostgresServer } from '../test/support/postgres-server.ts';
import type { LoadResult } from './load.ts';
import type { BenchContext } from './rounds.ts';
import type { Seed } from './seed.ts';
import { type ProductServer, type Server, startProduct, workingCopy } from './servers.ts';
import { median, percentileOf } from './statistics.ts';
import { atLeast, atMost, type Target } from './targets.ts';
import { createPlan, getPlan, manyConnections } from './works.ts';

const single = 300;
const receivers = 10;
const published = 300;
const backlog = 100_000;
const backlogRounds = 5;
const minDurationMs = 3000;
const maxWaitMs = 60_000;

/** Webhooks: how soon an event arrives, how many per second, and what a dead receiver costs everyone else. */
export async function measureWebhooks(context: BenchContext, seed: Seed): Promise<readonly Target[]> {
  const receiver = await startReceiver();
  try {
    const sqlite = await startProduct(seed, workingCopy(seed.databaseFile));
    const delays = await measureDelays(sqlite, seed.keys[0] as string, receiver);
    const onSqlite = await measureRate(sqlite, seed.keys[0] as string, receiver);
    await sqlite.stop();
    const onPostgres = await measureOnPostgres(receiver);
    const kept = await measureBacklog(context, seed);
    return [
      atMost('event to its receiver, median', percentileOf(delays, 0.5), 20, 'ms', 'from before the commit'),
      atMost('event to its receiver, p99', percentileOf(delays, 0.99), 150, 'ms'),
      atLeast('deliveries to 10 receivers, SQLite', onSqlite, 500, 'durable', '/s'),
      atLeast('deliveries to 10 receivers, PostgreSQL', onPostgres, 300, 'durable', '/s'),
      atLeast('get beside a backlog of 100,000 deliveries', kept.get, 0.9),
      atLeast('create beside a backlog of 100,000 deliveries', kept.create, 0.9),
    ];
  } finally {
    receiver.server.close();
    receiver.server.closeAllConnections();
  }
}

interface Receiver {
  readonly server: HttpServer;
  readonly url: string;
  /** When each event arrived, and when it was written, both by the clock of this machine. */
  readonly delaysMs: number[];
}

async function startReceiver(): Promise<Receiver> {
  const delaysMs: number[] = [];
  const server = createServer((request, response) => {
    const atMs = Date.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      delaysMs.push(atMs - Date.parse(JSON.parse(Buffer.concat(chunks).toString()).timestamp));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, delaysMs };
}

class Api {
  readonly #pool: Pool;
  readonly #headers: Record<string, string>;

  constructor({ port }: Server, key: string) {
    this.#pool = new Pool(`http://127.0.0.1:${port}`, { connections: 8 });
    this.#headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  }

  async send(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object = {}): Promise<{ readonly id: string }> {
    const request = { method, path: `/api/v1${path}`, headers: this.#headers, body: JSON.stringify(body) };
    const response = await this.#pool.request(request);
    const text = await response.body.text();
    if (response.statusCode === 503) {
      await delay(50);
      return this.send(method, path, body);
    }
    if (response.statusCode > 299) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return JSON.parse(text);
  }

  async newAgents(count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) ids.push((await this.send('POST', '/agents', { name: 'bench', voiceId: 'v' })).id);
    return ids;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** One event after the other. */
async function measureDelays(server: ProductServer, key: string, receiver: Receiver): Promise<number[]> {
  const api = new Api(server, key);
  const webhook = await api.send('POST', '/webhooks', { url: receiver.url, events: ['agent_published'] });
  const agents = await api.newAgents(single);
  receiver.delaysMs.length = 0;
  for (const [index, id] of agents.entries()) {
    await api.send('POST', `/agents/${id}/publish`);
    await until(() => receiver.delaysMs.length > index);
  }
  await api.send('DELETE', `/webhooks/${webhook.id}`);
  await api.close();
  return [...receiver.delaysMs];
}

/** Deliveries whose outcome is on the disk, per second, from the first event on. */
async function measureRate(server: ProductServer, key: string, receiver: Receiver): Promise<number> {
  const api = new Api(server, key);
  const webhooks: string[] = [];
  for (let count = 0; count < receivers; count += 1) {
    webhooks.push((await api.send('POST', '/webhooks', { url: receiver.url, events: ['agent_published'] })).id);
  }
  const agents = await api.newAgents(published);
  const before = await delivered(server);
  const startMs = performance.now();
  const queue = agents[Symbol.iterator]();
  const publish = async (): Promise<void> => {
    for (const id of queue) await api.send('POST', `/agents/${id}/publish`);
  };
  await Promise.all(Array.from({ length: 8 }, publish));
  await until(async () => (await delivered(server)) - before >= published * receivers);
  const perSecond = (published * receivers) / ((performance.now() - startMs) / 1000);
  for (const id of webhooks) await api.send('DELETE', `/webhooks/${id}`);
  await api.close();
  return perSecond;
}

async function measureOnPostgres(receiver: Receiver): Promise<number> {
  const postgres = await createPostgresServer(['fsync=on']);
  try {
    const [key] = await makeKeys(postgres.url, [{ workspace: 'bench' }]);
    const secret = key?.secret as string;
    const server = await startProduct({ keys: [secret] }, '', { DATABASE_URL: postgres.url });
    const perSecond = await measureRate(server, secret, receiver);
    await server.stop();
    return perSecond;
  } finally {
    await postgres.remove();
  }
}

/**
 * What get and create keep of their rate next to deliveries that fail again and again. Two services in turn, one with a
 * backlog and one without: the machine may be slower a moment later.
 */
async function measureBacklog(context: BenchContext, seed: Seed): Promise<{ get: number; create: number }> {
  const alone = await startProduct(seed, workingCopy(seed.databaseFile));
  const beside = await startProduct(seed, workingCopy(seed.databaseFile));
  await fillBacklog(beside, seed.keys[0] as string);
  const kept = async (plan: ReturnType<typeof getPlan>): Promise<number> => {
    const ratios: number[] = [];
    for (const server of [alone, beside]) await load(context, server, plan);
    while (ratios.length < backlogRounds) {
      const { requestsPerSecond } = await load(context, alone, plan);
      ratios.push((await load(context, beside, plan)).requestsPerSecond / requestsPerSecond);
    }
    return median(ratios);
  };
  const result = { get: await kept(getPlan(seed)), create: await kept(createPlan(seed)) };
  await Promise.all([alone.stop(), beside.stop()]);
  return result;
}

/** Nothing listens at the address of the webhook. */
async function fillBacklog(server: ProductServer, key: string): Promise<void> {
  const api = new Api(server, key);
  const { id } = await api.send('POST', '/webhooks', {
    url: 'http://127.0.0.1:1024/dead',
    events: ['agent_published'],
  });
  const [agentId] = await api.newAgents(1);
  await api.send('POST', `/agents/${agentId}/publish`);
  const database = openDatabase(locationOf(`sqlite:${server.databaseFile}`), () => {});
  await database.run(
    `INSERT INTO deliveries (workspace_id, id, webhook_id, event_id, event_type, subject_id, sequence, status, triggered_by,
        attempt, next_attempt_at, created_at)
      WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < $2)
      SELECT workspace_id, 'dlv_' || printf('%030d', number), webhook_id, event_id, event_type, subject_id, sequence,
          'pending', 'replay', 0, created_at, created_at
        FROM deliveries, numbers WHERE webhook_id = $1`,
    [id, backlog],
  );
  await database.close();
  await api.close();
}

function load(
  { generator, timing }: BenchContext,
  server: Server,
  plan: ReturnType<typeof getPlan>,
): Promise<LoadResult> {
  return generator.run({
    port: server.port,
    connections: manyConnections,
    warmupMs: timing.warmupMs,
    durationMs: Math.max(timing.durationMs, minDurationMs),
    minRequests: 1,
    pids: server.pids(),
    isUntilIdle: false,
    plan,
  });
}

async function delivered({ port }: Server): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^webhook_attempts_total\{outcome="succeeded"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  const startMs = performance.now();
  while (!(await check())) {
    if (performance.now() - startMs > maxWaitMs) throw new Error('events did not arrive');
    await delay(1);
  }
}
