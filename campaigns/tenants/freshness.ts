import { Worker } from 'node:worker_threads';
import { startProcess } from '../../test/support/process.ts';
import type { Run } from '../campaign.ts';
import { Connection, type Reply } from '../connection.ts';
import { makeKeys } from '../keys.ts';

export interface Freshness {
  readonly reads: number;
  readonly stale: number;
}

type Ports = readonly [number, number];

const lanes = 12;
const readersPerProcess = 16;
/** A page of a megabyte: a few of them make an event loop iteration long. */
const longAgents = 20;
const longPrompt = 'x'.repeat(50_000);
const firstPage = '/api/v1/agents?limit=100';

/**
 * Two processes share a database: what one has acknowledged, the other must show from then on. Load on both makes their
 * event loop iterations long, in which a read could come from an older snapshot.
 */
export async function attackFreshness(run: Run, reads: number): Promise<Freshness> {
  const isFull = reads >= 1000;
  const none = { reads: 0, stale: 0 };
  // PostgreSQL is read for every request, so small runs skip it.
  const between = isFull || run.engine === 'sqlite' ? await attackBetweenProcesses(run, reads) : none;
  // It is not known which worker has a connection, so only about half of the reads are between two workers.
  const workers = isFull ? await attackBetweenWorkers(run, reads / 2) : none;
  return { reads: between.reads + workers.reads, stale: between.stale + workers.stale };
}

async function attackBetweenProcesses(run: Run, reads: number): Promise<Freshness> {
  const settings = { DATABASE_URL: await run.newDatabaseUrl(), LOG_LEVEL: 'warn', RATE_LIMIT: 'off' };
  const services = await Promise.all([startProcess(settings), startProcess(settings)]);
  for (const service of services) run.atEnd(() => service.end('SIGKILL'));
  return attack(run, { databaseUrl: settings.DATABASE_URL, ports: [services[0].port, services[1].port], reads });
}

async function attackBetweenWorkers(run: Run, reads: number): Promise<Freshness> {
  const settings = { DATABASE_URL: await run.newDatabaseUrl(), LOG_LEVEL: 'warn', RATE_LIMIT: 'off', WORKERS: '2' };
  const service = await startProcess(settings);
  // SIGKILL would leave the workers of the primary running.
  run.atEnd(() => service.end('SIGTERM'));
  return attack(run, { databaseUrl: settings.DATABASE_URL, ports: [service.port, service.port], reads });
}

async function attack(
  run: Run,
  { databaseUrl, ports, reads }: { databaseUrl: string; ports: Ports; reads: number },
): Promise<Freshness> {
  const [key, loadKey] = await makeKeys(databaseUrl, [{ workspace: 'freshness' }, { workspace: 'load' }]);
  if (key === undefined || loadKey === undefined) throw new Error('the keys were not made');
  const { ids, pageByCursor } = await makeAgents(ports[0], key.secret);
  await makeLongAgents(ports[0], loadKey.secret);
  const stopLoad = startLoad(run, ports, loadKey.secret);
  const [one, other] = ports;
  const counts = { reads: 0, stale: 0 };
  await Promise.all(
    ids.map(async (id) => {
      const lane = { key: key.secret, id, pageByCursor };
      const directions = [new Direction([one, other], lane), new Direction([other, one], lane)];
      for (let step = 0; counts.reads < reads && !run.isOver(); step += 1) {
        const direction = directions[step % 2] as Direction;
        const checked = step % 8 < 6 ? direction.change(`${id} ${step}`) : direction.createAndDelete();
        const { asked, stale } = await checked.catch(ignoreOverload);
        counts.reads += asked;
        counts.stale += stale.length;
        for (const what of stale) run.found(`${what} does not show what another process acknowledged before`);
      }
      for (const direction of directions) direction.close();
    }),
  );
  await stopLoad();
  return counts;
}

function startLoad(run: Run, ports: Ports, key: string): () => Promise<unknown> {
  const workers = ports.map((port) => {
    const workerData = { port, key, path: firstPage, readers: readersPerProcess };
    const worker = new Worker(new URL('./freshness-load.ts', import.meta.url), { workerData });
    worker.on('error', (error) => run.found(`the load beside it failed: ${error}`));
    return worker;
  });
  const stop = () => Promise.all(workers.map((worker) => worker.terminate()));
  run.atEnd(stop);
  return stop;
}

/** An agent per lane and a newer one, after which the page by cursor starts. */
async function makeAgents(port: number, key: string): Promise<{ ids: string[]; pageByCursor: string }> {
  const connection = new Connection(port);
  const ids: string[] = [];
  for (let count = 0; count <= lanes; count += 1) ids.push(await createAgent(connection, key, `agent ${count}`));
  const reply = await connection.request('GET', '/api/v1/agents?limit=1', { key });
  const { pagination } = JSON.parse(reply.body.toString()) as { pagination: { nextCursor: string } };
  connection.close();
  const cursor = encodeURIComponent(pagination.nextCursor);
  return { ids: ids.slice(0, lanes), pageByCursor: `/api/v1/agents?limit=100&cursor=${cursor}` };
}

async function makeLongAgents(port: number, key: string): Promise<void> {
  const connection = new Connection(port);
  for (let count = 0; count < longAgents; count += 1) {
    await createAgent(connection, key, `long agent ${count}`, longPrompt);
  }
  connection.close();
}

async function createAgent(connection: Connection, key: string, name: string, prompt = 'x'): Promise<string> {
  const body = { name, voiceId: 'v', prompt };
  const reply = await connection.request('POST', '/api/v1/agents', { key, body });
  mustBe(201, reply);
  return (JSON.parse(reply.body.toString()) as { id: string }).id;
}

interface Checked {
  readonly asked: number;
  /** Reads that did not show the write. */
  readonly stale: readonly string[];
}

/** Writes to one process and reads from the other as soon as the write is acknowledged. */
class Direction {
  readonly #lane: { readonly key: string; readonly id: string; readonly pageByCursor: string };
  readonly #writer: Connection;
  readonly #readers: readonly [Connection, Connection, Connection];

  constructor([from, to]: Ports, lane: { key: string; id: string; pageByCursor: string }) {
    this.#lane = lane;
    this.#writer = new Connection(from);
    this.#readers = [new Connection(to), new Connection(to), new Connection(to)];
  }

  /** No other lane changes this agent, so its name is exactly the acknowledged one. */
  async change(name: string): Promise<Checked> {
    const { id, key, pageByCursor } = this.#lane;
    const reply = await this.#writer.request('PATCH', `/api/v1/agents/${id}`, { key, body: { name } });
    mustBe(200, reply);
    return this.#check(id, name, pageByCursor);
  }

  async createAndDelete(): Promise<Checked> {
    const { key } = this.#lane;
    const id = await createAgent(this.#writer, key, 'just made');
    const made = await this.#check(id, 'just made', firstPage);
    mustBe(200, await this.#writer.request('DELETE', `/api/v1/agents/${id}`, { key }));
    const gone = await this.#check(id, undefined, firstPage);
    return { asked: made.asked + gone.asked, stale: [...made.stale, ...gone.stale] };
  }

  close(): void {
    for (const connection of [this.#writer, ...this.#readers]) connection.close();
  }

  /** All at once, because sequential reads would give the later ones more time. */
  async #check(id: string, name: string | undefined, otherPage: string): Promise<Checked> {
    const { key } = this.#lane;
    const [get, list, page] = this.#readers;
    const [agent, first, other] = await Promise.all([
      get.request('GET', `/api/v1/agents/${id}`, { key }),
      list.request('GET', firstPage, { key }),
      page.request('GET', otherPage, { key }),
    ]);
    const shown = {
      'a read of an agent': nameIn(agent),
      'the first page': nameOnPage(first, id),
      [otherPage === firstPage ? 'the first page once more' : 'a page by cursor']: nameOnPage(other, id),
    };
    const stale = Object.keys(shown).filter((what) => shown[what] !== name);
    return { asked: 3, stale };
  }
}

function nameIn(reply: Reply): string | undefined {
  if (reply.status === 404) return undefined;
  mustBe(200, reply);
  return (JSON.parse(reply.body.toString()) as { name: string }).name;
}

function nameOnPage(reply: Reply, id: string): string | undefined {
  mustBe(200, reply);
  const { items } = JSON.parse(reply.body.toString()) as { items: { id: string; name: string }[] };
  return items.find((item) => item.id === id)?.name;
}

/** The service was overloaded and said so: no conclusion is possible. */
class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

function mustBe(expected: number, { status }: Reply): void {
  if (status === 503) throw new Overloaded('503');
  if (status !== expected) throw new Error(`answered ${status} instead of ${expected}`);
}

function ignoreOverload(error: unknown): Checked {
  if (!(error instanceof Overloaded)) throw error;
  return { asked: 0, stale: [] };
}
