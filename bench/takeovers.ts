import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open.ts';
import { locationOf } from '../test/support/engines.ts';
import type { PostgresServer } from '../test/support/postgres-server.ts';
import { openCluster } from './cluster.ts';
import { echoAgent } from './echo-agent.ts';
import { median } from './statistics.ts';
import { atMost, type Target } from './targets.ts';
import { Service } from './web-calls.ts';
import { enabledWorkflow } from './workflow-load.ts';

const rounds = 5;
const calls = 3;
const maxTakeoverMs = 35_000;
const maxWaitMs = 60_000;
/** Requests to the model that were held are answered at once; those of the killed instance are repeated after its lease. */
const maxAnalysesMs = 90_000;
/** Leases of 30 seconds are renewed after 10. */
const untilRenewalMs = 8000;
const renewedMs = 25_000;
/** Short: a delivery of the other instance, whose timeout is 15 seconds, must not be taken for one that was lost. */
const untilClosedMs = 100;

const kinds = ['job', 'delivery', 'workflow run'] as const;
type Kind = (typeof kinds)[number];

/**
 * An analysis, a delivery and a run of a workflow for each of three calls, whose requests get no answer, in an instance
 * that is killed: the time until the other one repeats the request.
 */
export async function measureTakeovers(postgres: PostgresServer): Promise<readonly Target[]> {
  const partner = await Partner.start();
  const cluster = await openCluster(postgres, 'takeovers', { OPENAI_BASE_URL: `${partner.url}/model` });
  const database = openDatabase(locationOf(cluster.url), () => {});
  const startInstance = async () => new Service(await cluster.start(), cluster.keys[0] as string);
  const instances = [await startInstance(), await startInstance()];
  const tookMs: Record<Kind, number[]> = { job: [], delivery: [], 'workflow run': [] };
  try {
    const agentId = await prepare(instances[0] as Service, cluster.keys[0] as string, partner.url);
    for (let round = 0; round < rounds; round += 1) {
      const victim = instances.shift() as Service;
      const callIds: string[] = [];
      while (callIds.length < calls) callIds.push(await openChat(victim, agentId));
      partner.hold(callIds);
      for (const id of callIds) await victim.send('POST', `/calls/${id}/end`);
      await partner.untilAsked(kinds.length * calls);
      await untilRenewed(database);
      const killedMs = performance.now();
      const lost = await partner.whatEndsWith(() => kill(victim));
      for (const { kind, atMs } of await partner.untilRepeated(lost)) tookMs[kind].push(atMs - killedMs);
      partner.release();
      // Analyses of this round would keep slots of the next one.
      await untilAnalyzed(database);
      instances.push(await startInstance());
    }
  } finally {
    await database.close();
    await partner.close();
    await Promise.all(instances.map((instance) => instance.close()));
  }
  return kinds.map((kind) => {
    if (tookMs[kind].length === 0) throw new Error(`no ${kind} was in a process that was killed`);
    const note = `longest of ${tookMs[kind].length}, median ${Math.round(median(tookMs[kind]))} ms`;
    return atMost(
      `a ${kind} goes on in the other instance after kill -9`,
      Math.max(...tookMs[kind]),
      maxTakeoverMs,
      'ms',
      note,
    );
  });
}

async function prepare(service: Service, key: string, url: string): Promise<string> {
  const { id } = await service.send('POST', '/agents', {
    ...echoAgent,
    postCallAnalysisModel: 'gpt-5.4-mini',
  });
  await service.send('POST', `/agents/${id}/publish`);
  await service.send('POST', '/webhooks', { url: `${url}/hook`, events: ['call_ended'] });
  const step = {
    id: 'tell',
    type: 'http_request',
    url: `${url}/step`,
    timeoutMs: 30_000,
    body: { callId: '{{call.id}}' },
  };
  await enabledWorkflow({ url: `http://127.0.0.1:${service.server.port}` }, key, [step]);
  return id;
}

/** The analysis finds the id of the call in what was said. */
async function openChat(service: Service, agentId: string): Promise<string> {
  const { id } = await service.send('POST', '/calls', { type: 'chat', agentId });
  await service.send('POST', `/calls/${id}/messages`, { text: `This is ${id}.` });
  return id;
}

/** Until the leases of everything that is held were just renewed: then it takes nearly a whole lease. */
async function untilRenewed(database: Database): Promise<void> {
  await delay(untilRenewalMs);
  const endSoon = ['jobs', 'deliveries', 'workflow_runs'].map(
    (table) => `SELECT id FROM ${table} WHERE lease_until < floor(extract(epoch FROM clock_timestamp()) * 1000) + $1`,
  );
  while ((await database.all(endSoon.join(' UNION ALL '), [renewedMs])).length > 0) await delay(50);
}

async function untilAnalyzed(database: Database): Promise<void> {
  const sql = "SELECT count(*) AS count FROM jobs WHERE kind = 'analysis' AND finished_at IS NULL";
  const startMs = performance.now();
  while (Number((await database.get<{ count: number }>(sql))?.count) > 0) {
    if (performance.now() - startMs > maxAnalysesMs) throw new Error('analyses did not end');
    await delay(200);
  }
}

async function kill({ server }: Service): Promise<void> {
  for (const pid of server.pids()) process.kill(pid, 'SIGKILL');
}

interface Asked {
  readonly kind: Kind;
  readonly callId: string;
  readonly response: ServerResponse;
  readonly atMs: number;
}

/** The model, the receiver of the webhook and the server of the step. */
class Partner {
  readonly url: string;
  readonly #server: HttpServer;
  #asked: Asked[] = [];
  #held: ReadonlySet<string> = new Set();

  private constructor(server: HttpServer) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<Partner> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const partner = new Partner(server);
    server.on('request', (request, response) => void partner.#take(request, response));
    return partner;
  }

  /** From now on, no request about these calls is answered. */
  hold(callIds: readonly string[]): void {
    this.#asked = [];
    this.#held = new Set(callIds);
  }

  release(): void {
    this.#held = new Set();
    for (const asked of this.#asked) answer(asked);
  }

  untilAsked(count: number): Promise<void> {
    return until(() => this.#asked.length >= count);
  }

  /** The requests waiting for an answer whose connections this closes. */
  async whatEndsWith(end: () => Promise<void>): Promise<readonly Asked[]> {
    const open = this.#asked.filter(({ response }) => !response.destroyed);
    await end();
    await delay(untilClosedMs);
    return open.filter(({ response }) => response.destroyed);
  }

  /** The same requests, from another process. */
  async untilRepeated(lost: readonly Asked[]): Promise<readonly Asked[]> {
    const repeated = () =>
      lost.flatMap((one) => {
        const same = this.#asked.filter(({ kind, callId }) => kind === one.kind && callId === one.callId);
        return same.slice(same.indexOf(one) + 1, same.indexOf(one) + 2);
      });
    await until(() => repeated().length === lost.length);
    return repeated();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const callId = /call_[0-9a-z]{30}/.exec(Buffer.concat(chunks).toString())?.[0] ?? '';
    const path = request.url ?? '';
    const kind = path.startsWith('/model') ? 'job' : path === '/hook' ? 'delivery' : 'workflow run';
    const asked = { kind, callId, response, atMs } as const;
    if (this.#held.has(callId)) this.#asked.push(asked);
    else answer(asked);
  }
}

/** A model that says nothing useful: a failed request would be repeated for more than a minute. */
const modelOutput = `data: ${JSON.stringify({
  choices: [{ index: 0, delta: { content: '{}' }, finish_reason: 'stop' }],
})}\n\ndata: [DONE]\n\n`;

function answer({ kind, response }: Asked): void {
  const [type, body] = kind === 'job' ? ['text/event-stream', modelOutput] : ['application/json', '{}'];
  response.writeHead(200, { 'content-type': type }).end(body);
}

async function until(isTrue: () => boolean): Promise<void> {
  const startMs = performance.now();
  while (!isTrue()) {
    if (performance.now() - startMs > maxWaitMs) throw new Error('a request did not arrive');
    await delay(10);
  }
}
