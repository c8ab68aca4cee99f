import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { makeKeys } from '../campaigns/keys.ts';
import { residentMiB } from '../campaigns/process-figures.ts';
import { openDatabase } from '../src/storage/open.ts';
import { send } from '../test/support/client.ts';
import { createSqliteEngine, type Engine, locationOf } from '../test/support/engines.ts';
import { createPostgresServer } from '../test/support/postgres-server.ts';
import { type Service, startService } from '../test/support/service.ts';
import type { Seed } from './seed.ts';
import { startProduct, workingCopy } from './servers.ts';
import { median, percentileOf } from './statistics.ts';
import { atLeast, atMost, type Target } from './targets.ts';
import {
  busyMs,
  enabledWorkflow,
  endedChat,
  newAgent,
  timeOfEnd,
  untilNoneIsOpen,
  WorkflowRows,
} from './workflow-load.ts';

const starts = 200;
const runs = 5000;
const workflowsAtOnce = 10;
const waits = 40;
const ends = 300;
const tests = 30;
const waitingRuns = 100_000;
const idleMs = 20_000;

/** What happens after calls: how soon, how many runs per second, and what it costs everything else. */
export async function measureWorkflows(seed: Seed): Promise<readonly Target[]> {
  const sqlite = createSqliteEngine();
  try {
    const delays = await measureStarts(sqlite);
    const late = await measureWaits(sqlite);
    const onSqlite = await measureRuns(sqlite);
    const onPostgres = await measureOnPostgres();
    const end = await measureEnds(sqlite);
    const waiting = await measureWaiting(seed);
    const testMs = await measureTests(sqlite);
    return [
      atMost('workflows: event to its first request, median', percentileOf(delays, 0.5), 100, 'ms'),
      atMost('workflows: event to its first request, p99', percentileOf(delays, 0.99), 1000, 'ms'),
      atLeast('workflows: runs of five steps, SQLite', onSqlite.perSecond, 200, '', '/s'),
      atLeast('workflows: runs of five steps, PostgreSQL', onPostgres.perSecond, 150, '', '/s'),
      atMost('workflows: chat message p99 beside runs, SQLite', onSqlite.slower, 2, '×', onSqlite.note),
      atMost('workflows: chat message p99 beside runs, PostgreSQL', onPostgres.slower, 2, '×', onPostgres.note),
      end,
      atMost('workflows: memory of 100,000 waiting runs', waiting.mib, 20, 'MB'),
      atMost('workflows: processor time of 100,000 waiting runs, per second', waiting.msPerSecond, 10, 'ms'),
      atMost('workflows: after its due time, a run resumes in', Math.max(...late), 2000, 'ms', `longest of ${waits}`),
      atMost('workflows: test on 500 turns with 30 steps', testMs, 100, 'ms', 'median, with its validation'),
    ];
  } finally {
    await sqlite.remove();
  }
}

/** A service for tests does not take the steps of runs by itself. */
const startRunning = (engine: Engine) => startService(engine, { workflowRunning: {} });

async function withService<T>(engine: Engine, work: (service: Service, key: string) => Promise<T>): Promise<T> {
  const service = await startRunning(engine);
  try {
    return await work(service, (await service.newKey()).key);
  } finally {
    await service.close();
  }
}

/** One call after the other, from the time in the event, which is before its commit, to the first byte of the request. */
async function measureStarts(engine: Engine): Promise<number[]> {
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    arrivals.set((request.url ?? '').slice(1), Date.now());
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await withService(engine, async (service, key) => {
      const agentId = await newAgent(service, key);
      await enabledWorkflow(service, key, [{ id: 'tell', type: 'http_request', url: `${url}/{{call.id}}` }]);
      const delays: number[] = [];
      while (delays.length < starts) {
        const callId = await endedChat(service, key, agentId, 1);
        while (!arrivals.has(callId)) await delay(1);
        const sql = "SELECT created_at FROM events WHERE subject_id = $1 AND type = 'call_ended'";
        const event = await service.database.get<{ created_at: number }>(sql, [callId]);
        delays.push((arrivals.get(callId) as number) - Number(event?.created_at));
      }
      return delays;
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** From the due time of a wait to its end. */
function measureWaits(engine: Engine): Promise<number[]> {
  return withService(engine, async (service, key) => {
    const agentId = await newAgent(service, key);
    await enabledWorkflow(service, key, [{ id: 'pause', type: 'wait', seconds: 1 }]);
    for (let count = 0; count < waits; count += 1) await endedChat(service, key, agentId, 1);
    await untilNoneIsOpen(service.database);
    const rows = await service.database.all<{ started_at: number; completed_at: number }>(
      'SELECT started_at, completed_at FROM workflow_steps',
    );
    return rows.map(({ started_at, completed_at }) => completed_at - started_at - 1000);
  });
}

interface RunRate {
  readonly perSecond: number;
  readonly slower: number;
  readonly note: string;
}

/** Runs that are all due at once, in ten workflows, while somebody chats. */
function measureRuns(engine: Engine): Promise<RunRate> {
  return withService(engine, async (service, key) => {
    const agentId = await newAgent(service, key);
    // As many as each workflow has runs: a workflow starts one for an event.
    const callIds: string[] = [];
    while (callIds.length < runs / workflowsAtOnce) callIds.push(await endedChat(service, key, agentId, 1));
    const never = { if: { field: 'metadata.paid', op: 'exists', value: true }, next: 'end' };
    const steps = [
      { id: 'choose', type: 'condition', routes: [never], otherwise: 'note' },
      { id: 'note', type: 'update_call', metadata: { run: '{{run.id}}' } },
      { id: 'past', type: 'wait', until: '2026-01-01T00:00:00Z' },
      { id: 'again', type: 'condition', routes: [never], otherwise: 'last' },
      { id: 'last', type: 'update_call', metadata: { at: '{{now}}' } },
    ];
    const workflows: string[] = [];
    while (workflows.length < workflowsAtOnce) workflows.push(await enabledWorkflow(service, key, steps));
    const chatting = { isOver: false, times: [] as number[] };
    const alone = await messageTimes(service, key, agentId, () => chatting.times.length >= 300, chatting.times);
    const rows = new WorkflowRows(service.database);
    await rows.insert({ workflows, callIds, count: runs, dueInMs: 0 });
    const beside: number[] = [];
    const startMs = performance.now();
    const talking = messageTimes(service, key, agentId, () => chatting.isOver, beside);
    await untilNoneIsOpen(service.database);
    const perSecond = runs / ((performance.now() - startMs) / 1000);
    chatting.isOver = true;
    await talking;
    const [aloneMs, besideMs] = [percentileOf(alone, 0.99), percentileOf(beside, 0.99)];
    return {
      perSecond,
      slower: besideMs / aloneMs,
      note: `${besideMs.toFixed(1)} ms, ${aloneMs.toFixed(1)} ms without`,
    };
  });
}

async function messageTimes(
  service: Service,
  key: string,
  agentId: string,
  isOver: () => boolean,
  times: number[],
): Promise<number[]> {
  const body = { type: 'chat', agentId, agentVersion: 'latest' };
  const { id } = (await send(service, 'POST', '/api/v1/calls', { key, body })).json;
  while (!isOver()) {
    const start = performance.now();
    await send(service, 'POST', `/api/v1/calls/${id}/messages`, { key, body: { text: 'Hello' } });
    times.push(performance.now() - start);
    await delay(5);
  }
  return times;
}

async function measureOnPostgres(): Promise<RunRate> {
  const postgres = await createPostgresServer(['fsync=on']);
  try {
    await makeKeys(postgres.url, [{ workspace: 'bench' }]);
    const engine: Engine = { ...createSqliteEngine(), newServiceUrl: async () => postgres.url };
    return await measureRuns(engine);
  } finally {
    await postgres.remove();
  }
}

/** Chats of a service with 100 enabled workflows and of one without end in turn. */
async function measureEnds(engine: Engine): Promise<Target> {
  const services = [await startRunning(engine), await startRunning(engine)];
  const times: [number[], number[]] = [[], []];
  try {
    const keys = await Promise.all(services.map(async (service) => (await service.newKey()).key));
    const agents = await Promise.all(services.map((service, place) => newAgent(service, keys[place] as string)));
    const filter = { field: 'metadata.never', op: 'exists', value: true };
    const step = { id: 'tell', type: 'http_request', url: 'https://crm.example.com/' };
    for (let count = 0; count < 100; count += 1)
      await enabledWorkflow(services[0] as Service, keys[0] as string, [step], filter);
    for (let number = 0; number < ends; number += 1) {
      for (const place of number % 2 === 0 ? [0, 1] : [1, 0]) {
        const [service, key, agentId] = [services[place], keys[place], agents[place]] as [Service, string, string];
        times[place as 0 | 1].push(await timeOfEnd(service, key, agentId));
      }
    }
  } finally {
    for (const service of services) await service.close();
  }
  const [beside, alone] = times.map(median) as [number, number];
  const note = `median of a request ${beside.toFixed(2)} ms, ${alone.toFixed(2)} ms without`;
  return atMost('workflows: end of a call with 100 workflows, of none', beside / alone, 1.1, '×', note);
}

/** A process of its own, before and after it has runs that wait for a month. */
async function measureWaiting(seed: Seed): Promise<{ mib: number; msPerSecond: number }> {
  const server = await startProduct(seed, workingCopy(seed.databaseFile));
  const key = seed.keys[0] as string;
  const service = { url: `http://127.0.0.1:${server.port}` };
  const database = openDatabase(locationOf(`sqlite:${server.databaseFile}`), () => {});
  try {
    const agentId = await newAgent(service, key);
    const workflow = await enabledWorkflow(service, key, [{ id: 'month', type: 'wait', seconds: 2_592_000 }]);
    const callId = await endedChat(service, key, agentId, 1);
    const pids = server.pids();
    const figures = async () => {
      const busy = busyMs(pids);
      await delay(idleMs);
      return {
        mib: pids.reduce((sum, pid) => sum + residentMiB(pid), 0),
        msPerSecond: ((busyMs(pids) - busy) * 1000) / idleMs,
      };
    };
    const before = await figures();
    const rows = new WorkflowRows(database);
    await rows.insert({ workflows: [workflow], callIds: [callId], count: waitingRuns, dueInMs: 30 * 86_400_000 });
    const after = await figures();
    return { mib: after.mib - before.mib, msPerSecond: Math.max(0, after.msPerSecond - before.msPerSecond) };
  } finally {
    await database.close();
    await server.stop();
  }
}

function measureTests(engine: Engine): Promise<number> {
  return withService(engine, async (service, key) => {
    const agentId = await newAgent(service, key);
    const callId = await endedChat(service, key, agentId, 250);
    const body = { said: '{{transcript.text}}', end: '{{call.endReason}}' };
    const url = 'https://crm.example.com/{{call.id}}';
    const steps = Array.from({ length: 30 }, (_, index) => ({ id: `s${index}`, type: 'http_request', url, body }));
    const definition = { trigger: { event: 'call_ended' }, steps };
    const times: number[] = [];
    while (times.length < tests) {
      const start = performance.now();
      const answer = await send(service, 'POST', '/api/v1/workflows/test', { key, body: { callId, definition } });
      if (answer.status !== 200) throw new Error(`a test was answered ${answer.status}: ${answer.text}`);
      times.push(performance.now() - start);
    }
    return median(times);
  });
}
