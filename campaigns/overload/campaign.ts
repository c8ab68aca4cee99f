import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { Connection, requestBytes } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import { type MemoryUse, watchMemory } from '../process-figures.ts';
import type { Random } from '../random.ts';
import { type LoadResult, runLoad } from './open-loop.ts';

const clientTimeoutMs = 3000;
const minGoodput = 0.8;
/** Refusals are sent at once, or as soon as it is clear that the request cannot be served. */
const maxMedianRefusalMs = 250;
const maxRefusalMs = 3000;
/** A conversation flow of typical length. */
const settingsBytes = 150_000;

interface Load {
  readonly name: string;
  /** Whether one processor can refuse ten times as many requests as it can serve; a refusal takes about 40 µs. */
  readonly canBeRefused: boolean;
  readonly requests: (ids: readonly string[], key: string, random: Random) => () => Buffer;
}

const loads: readonly Load[] = [
  {
    name: 'large agents',
    canBeRefused: true,
    requests: (ids, key, random) => () => {
      const path = `/api/v1/agents/${random.pick(ids)}`;
      return random.chance(0.8)
        ? requestBytes('PATCH', path, { key, body: { voiceSpeed: random.int(50, 200) / 100 } })
        : requestBytes('GET', `${path}/diff?from=latest&to=latest`, { key });
    },
  },
  {
    name: 'small agents',
    canBeRefused: false,
    requests: (_ids, key, random) => () => {
      const body = { name: `Line ${random.int(1, 1e9)}`, voiceId: 'voice-1' };
      return requestBytes('POST', '/api/v1/agents', { key, body });
    },
  },
];

export const overload = defineCampaign({
  name: 'overload',
  about:
    'Ten times the capacity of the service, in an open loop: throughput stays at its peak, and the rest is rejected immediately.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { agents: 200, seconds: 20, factor: 10, maxConnections: 8000 },
    small: { agents: 30, seconds: 0.8, factor: 4, maxConnections: 1000 },
  },
  run: async (run) => {
    const { seconds, factor, maxConnections } = run.amount;
    const databaseUrl = await run.newDatabaseUrl();
    const [key] = await makeKeys(databaseUrl, [{ workspace: 'overload' }]);
    const service = await startProcess({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn', RATE_LIMIT: 'off' });
    run.atEnd(() => service.end('SIGKILL'));
    const secret = key?.secret as string;
    const ids = await makeLargeAgents(service, secret, run.amount.agents);
    const figures: Record<string, number | string> = {};

    for (const load of loads) {
      const { name } = load;
      if (run.isOver()) break;
      const nextRequest = prepared(load.requests(ids, secret, run.random));
      const options = { port: service.port, clientTimeoutMs, nextRequest };
      const closed = { ...options, rate: Number.POSITIVE_INFINITY, maxConnections: 64 };
      await runLoad({ ...closed, seconds: Math.min(2, seconds) });
      const before = await runLoad({ ...closed, seconds: seconds / 2 });
      const rate = factor * perSecond(before);
      run.showProgress(`${name}: ${perSecond(before).toFixed(0)} a second at the peak`);
      const watch = watchMemory(service.child.pid as number);
      const over = await runLoad({ ...options, rate, seconds, maxConnections });
      const memory = watch.end();
      const after = await runLoad({ ...closed, seconds: seconds / 2 });
      const peak = (perSecond(before) + perSecond(after)) / 2;
      judge(run, load, { peak, over, memory });
      Object.assign(figures, describe(name, { peak, before, over, after, memory }));
    }
    if (service.child.exitCode !== null) run.found('the service ended');
    return figures;
  },
});

/** Built in advance and reused, because building requests takes processor time from the service. */
function prepared(makeRequest: () => Buffer): () => Buffer {
  const requests = Array.from({ length: 5000 }, makeRequest);
  let next = 0;
  return () => requests[next++ % requests.length] as Buffer;
}

function judge(
  run: Run<{ agents: number; seconds: number; factor: number; maxConnections: number }>,
  { name, canBeRefused }: Load,
  { peak, over, memory }: { peak: number; over: LoadResult; memory: MemoryUse },
): void {
  const isFull = run.amount.factor >= 10;
  // If the machine stalls for a whole short measurement, no load was offered and nothing can be concluded.
  if (over.due === 0 && !isFull) return;
  const goodput = perSecond(over) / peak;
  // Two short measurements on a machine that others use cannot be compared.
  if (isFull && goodput < minGoodput) run.found(`${name}: goodput ${goodput.toFixed(2)} of the peak`);
  if (over.good === 0) run.found(`${name}: nothing was served`);
  for (const [status, times] of over.others) run.found(`${name}: ${times} answers with ${status}`);
  if (over.withoutRetryAfter > 0) run.found(`${name}: ${over.withoutRetryAfter} refusals without Retry-After`);
  if (isFull && canBeRefused) {
    const [median, last] = [quantile(over.refusalMs, 0.5), quantile(over.refusalMs, 0.99)];
    if (median > maxMedianRefusalMs) run.found(`${name}: half of the refusals took ${median.toFixed(0)} ms`);
    if (last > maxRefusalMs) run.found(`${name}: refusals took ${last.toFixed(0)} ms (p99)`);
  }
  if (memory.most > memory.before + 600)
    run.found(`${name}: memory grew from ${Math.round(memory.before)} to ${Math.round(memory.most)} MiB`);
}

function describe(
  name: string,
  parts: {
    peak: number;
    before: LoadResult;
    over: LoadResult;
    after: LoadResult;
    memory: MemoryUse;
  },
): Record<string, string> {
  const { peak, over, memory } = parts;
  const whole = (value: number) => Math.round(value).toLocaleString('en-US');
  const { sent, refused, late, cut, connections, seconds, due } = over;
  return {
    [name]: [
      `peak ${whole(peak)}/s`,
      `offered ${whole(due / seconds)}/s`,
      `sent ${whole(sent / seconds)}/s on ${whole(connections)} connections`,
      `good ${(perSecond(over) / peak).toFixed(2)} of the peak (p50 ${whole(quantile(over.goodMs, 0.5))} ms, p99 ${whole(quantile(over.goodMs, 0.99))} ms)`,
      `refused ${whole(refused / seconds)}/s (p50 ${whole(quantile(over.refusalMs, 0.5))} ms, p99 ${whole(quantile(over.refusalMs, 0.99))} ms)`,
      `late ${whole(late)}`,
      `cut ${whole(cut)}`,
      `memory ${whole(memory.before)} → ${whole(memory.most)} MiB`,
    ].join('; '),
  };
}

function perSecond({ good, seconds }: LoadResult): number {
  return good / seconds;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

async function makeLargeAgents(service: ServiceProcess, key: string, count: number): Promise<string[]> {
  const connection = new Connection(service.port);
  const ids: string[] = [];
  const step = { say: 'x'.repeat(90), next: ['yes', 'no'] };
  const agentSettings = { flow: Array.from({ length: Math.floor(settingsBytes / 125) }, () => step) };
  for (let place = 0; place < count; place += 1) {
    const body = { name: `Large ${place}`, voiceId: 'voice-1', agentSettings };
    const reply = await connection.request('POST', '/api/v1/agents', { key, body });
    ids.push(JSON.parse(reply.body.toString()).id);
  }
  connection.close();
  return ids;
}
