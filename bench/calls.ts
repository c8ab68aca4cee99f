import { setTimeout as delay } from 'node:timers/promises';
import { Client, Pool } from 'undici';
import { echoAgent } from './echo-agent.ts';
import { cpuMsOf, residentBytesOf } from './processes.ts';
import type { Seed } from './seed.ts';
import { type ProductServer, startProduct, workingCopy } from './servers.ts';
import { median } from './statistics.ts';
import { atLeast, atMost, type Target } from './targets.ts';

const single = 600;
const rounds = 5;
const concurrent = 64;
const concurrentMs = 1000;
const readers = 1000;
/** At most ten may wait for the events of one call. */
const readersPerCall = 10;
const openChats = 10_000;

const headersWith = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });

/** Sends requests over kept-alive connections. */
class Sender {
  readonly #client: Client | Pool;
  readonly #headers: Record<string, string>;

  constructor(client: Client | Pool, key: string) {
    this.#client = client;
    this.#headers = headersWith(key);
  }

  async send(method: 'GET' | 'POST', path: string, body: object | null = null): Promise<Record<string, unknown>> {
    const request = { method, path: `/api/v1${path}`, headers: this.#headers };
    const response = await this.#client.request(body === null ? request : { ...request, body: JSON.stringify(body) });
    const text = await response.body.text();
    if (response.statusCode > 299) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return JSON.parse(text);
  }

  /** How long it takes until the first text of a streamed reply arrives. */
  async firstTextMs(path: string, body: object): Promise<number> {
    const start = performance.now();
    const headers = { ...this.#headers, accept: 'text/event-stream' };
    const request = { method: 'POST', path: `/api/v1${path}`, headers, body: JSON.stringify(body) } as const;
    const response = await this.#client.request(request);
    let firstMs: number | null = null;
    for await (const chunk of response.body) {
      if (String(chunk).includes('event: text')) firstMs ??= performance.now() - start;
    }
    if (firstMs === null) throw new Error('no text has arrived');
    return firstMs;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

type NewChat = () => Promise<string>;

/** Chats with a model of the service's own, over HTTP, next to creating agents in the same run. */
export async function measureCalls(seed: Seed): Promise<readonly Target[]> {
  const targets = await withService(seed, async (server, newChat) => [
    ...(await oneAtATime(server, seed, newChat)),
    await manyAtATime(server, seed, newChat),
    await waitingReaders(server, seed, newChat),
  ]);
  // In a service that has done nothing else, whose memory would hide what the chats need.
  return [...targets, await withService(seed, openChatMemory)];
}

async function withService<Result>(
  seed: Seed,
  measure: (server: ProductServer, newChat: NewChat) => Promise<Result>,
): Promise<Result> {
  const environment = { CALL_CONCURRENCY: '100000', CALL_RATE: 'off', RATE_LIMIT: 'off' };
  const server = await startProduct(seed, workingCopy(seed.databaseFile), environment);
  const setup = new Sender(new Pool(originOf(server), { connections: 32 }), seed.keys[0] as string);
  try {
    const { id: agentId } = await setup.send('POST', '/agents', echoAgent);
    return await measure(server, async () => {
      const { id } = await setup.send('POST', '/calls', { type: 'chat', agentId, agentVersion: 'latest' });
      await setup.send('POST', `/calls/${id}/messages`, { text: 'first' });
      return id as string;
    });
  } finally {
    await setup.close();
    await server.stop();
  }
}

function originOf({ port }: ProductServer): string {
  return `http://127.0.0.1:${port}`;
}

async function oneAtATime(server: ProductServer, seed: Seed, newChat: NewChat): Promise<Target[]> {
  const sender = new Sender(new Client(originOf(server)), seed.keys[0] as string);
  const create: number[] = [];
  const message: number[] = [];
  const firstText: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const chat = await newChat();
    for (let index = 0; index < single / rounds; index += 1) {
      create.push(await timeOf(() => sender.send('POST', '/agents', echoAgent)));
      message.push(await timeOf(() => sender.send('POST', `/calls/${chat}/messages`, { text: 'good morning' })));
      firstText.push(await sender.firstTextMs(`/calls/${chat}/messages`, { text: 'good morning' }));
    }
  }
  await sender.close();
  const [created, answered, begun] = [median(create), median(message), median(firstText)];
  const note = (ms: number) => `${ms.toFixed(2)} ms, create ${created.toFixed(2)} ms`;
  return [
    atMost('chat message, of the time of create', answered / created, 3, '×', note(answered)),
    atMost('first streamed text, of the time of create', begun / created, 2, '×', note(begun)),
  ];
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function manyAtATime(server: ProductServer, seed: Seed, newChat: NewChat): Promise<Target> {
  const sender = new Sender(new Pool(originOf(server), { connections: concurrent }), seed.keys[0] as string);
  const creates: Rate[] = [];
  const messages: Rate[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // New ones for each round: a chat of hundreds of messages is rare.
    const chats = await Promise.all(Array.from({ length: concurrent }, newChat));
    creates.push(await rateOf(server, () => sender.send('POST', '/agents', echoAgent)));
    messages.push(
      await rateOf(server, (index) => sender.send('POST', `/calls/${chats[index]}/messages`, { text: 'good morning' })),
    );
  }
  await sender.close();
  const [created, answered] = [middle(creates), middle(messages)];
  const share = answered.perSecond / created.perSecond;
  const note = `${Math.round(answered.perSecond)}/s, ${Math.round(answered.processorUs)} µs each; create ${Math.round(created.perSecond)}/s, ${Math.round(created.processorUs)} µs`;
  return atLeast(`messages in ${concurrent} chats, of creates`, share, 0.4, note);
}

interface Rate {
  readonly perSecond: number;
  readonly processorUs: number;
}

function middle(rates: readonly Rate[]): Rate {
  return [...rates].sort((one, other) => one.perSecond - other.perSecond)[Math.floor(rates.length / 2)] as Rate;
}

async function rateOf(server: ProductServer, work: (index: number) => Promise<unknown>): Promise<Rate> {
  const [processor, start] = [cpuMsOf(server.pids()), performance.now()];
  let count = 0;
  const end = start + concurrentMs;
  await Promise.all(
    Array.from({ length: concurrent }, async (_, index) => {
      while (performance.now() < end) {
        await work(index);
        count += 1;
      }
    }),
  );
  const ms = performance.now() - start;
  return { perSecond: (count / ms) * 1000, processorUs: ((cpuMsOf(server.pids()) - processor) / count) * 1000 };
}

/** How long it takes from a request that writes an event until it reaches those who wait for it. */
async function waitingReaders(server: ProductServer, seed: Seed, newChat: NewChat): Promise<Target> {
  const key = seed.keys[0] as string;
  const sender = new Sender(new Client(originOf(server)), key);
  const pool = new Sender(new Pool(originOf(server), { connections: readers }), key);
  const chats: string[] = [];
  for (let index = 0; index < readers / readersPerCall; index += 1) chats.push(await newChat());
  const cursors = new Map<string, string>();
  for (const chat of chats) {
    const { pagination } = (await sender.send('GET', `/calls/${chat}/events?limit=200`)) as {
      pagination: { nextCursor: string };
    };
    cursors.set(chat, pagination.nextCursor);
  }
  const arrivals = chats.flatMap((chat) =>
    Array.from({ length: readersPerCall }, async () => {
      const cursor = encodeURIComponent(cursors.get(chat) as string);
      await pool.send('GET', `/calls/${chat}/events?waitSeconds=25&cursor=${cursor}`);
      return { chat, at: performance.now() };
    }),
  );
  // Until all of them are waiting.
  await delay(1500);
  // From the request that writes the event, which is before its commit.
  const sentAt = new Map<string, number>();
  for (const chat of chats) {
    sentAt.set(chat, performance.now());
    await sender.send('POST', `/calls/${chat}/control`, { action: 'say', text: 'hello' });
    await delay(10);
  }
  const times = (await Promise.all(arrivals)).map(({ chat, at }) => at - (sentAt.get(chat) as number));
  await Promise.all([sender.close(), pool.close()]);
  const p99 = [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.99)] as number;
  return atMost(`events to ${readers} waiting readers, p99`, p99, 50, 'ms', `median ${median(times).toFixed(1)} ms`);
}

function residentBytes(server: ProductServer): number {
  return server.pids().reduce((sum, pid) => sum + residentBytesOf(pid), 0);
}

async function openChatMemory(server: ProductServer, newChat: NewChat): Promise<Target> {
  const before = residentBytes(server);
  let left = openChats;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (left-- > 0) await newChat();
    }),
  );
  // Until garbage that the load has left is collected.
  await delay(3000);
  const grown = (residentBytes(server) - before) / 1024 / 1024;
  return atMost(`memory for ${openChats.toLocaleString('en')} open chats`, grown, 100, 'MB');
}
