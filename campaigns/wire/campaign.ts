import { setTimeout as delay } from 'node:timers/promises';
import { startProcess } from '../../test/support/process.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import { residentMiB } from '../process-figures.ts';
import {
  type Amount,
  attackBehindWork,
  attackFraming,
  attackSlowly,
  attackWithFlood,
  attackWithHalves,
  attackWithIdleness,
  attackWithMutations,
  attackWithPipelines,
  forbiddenNames,
  type Target,
} from './attacks.ts';
import { attackWithoutReading } from './backpressure.ts';
import { attackWithLateReaders, readLate } from './late-readers.ts';
import { Pace } from './pace.ts';

const agentsInLists = 20;
/** Room for the normal variation of the process, and for a few responses per client. */
const maxMiBForLateReaders = { allTogether: 150, each: 4 };
/** Half a megabyte in UTF-8. */
const longPrompt = 'よろしくお願いします'.repeat(17_000);

export const wire = defineCampaign({
  name: 'wire',
  about:
    'Invalid HTTP over raw sockets: the response is the error body or a close, no smuggled request is executed, and other clients are served as before.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: {
      framings: 4000, mutations: 4000, halves: 2000, pipelined: 50_000, idle: 2000, flood: 10_000, lateReaders: 24, slow: 90,
      pipelineMB: 8, longPipelineMB: 34, pipelineClients: 100, stalledVisitors: 5000, stalledPages: 200, slowBodies: 1500, connections: 10_100,
    },
    small: {
      framings: 200, mutations: 120, halves: 80, pipelined: 800, idle: 60, flood: 150, lateReaders: 4, slow: 0,
      pipelineMB: 8, longPipelineMB: 0, pipelineClients: 0, stalledVisitors: 200, stalledPages: 40, slowBodies: 0, connections: 0,
    },
  }, // biome-ignore format: a table
  run: runWire,
});

async function runWire(run: Run<Amount>) {
  const databaseUrl = await run.newDatabaseUrl();
  const workspaces = ['wire', 'fair', 'stalled'].map((workspace) => ({ workspace }));
  const [key, other, third] = await makeKeys(databaseUrl, workspaces);
  if (key === undefined || other === undefined || third === undefined) throw new Error('no keys were made');
  const service = await startProcess({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'error', RATE_LIMIT: 'off' });
  run.atEnd(() => service.end('SIGKILL'));
  const isFull = run.amount.slow > 0;
  const agentPath = await fill(service.port, key.secret);
  const target: Target = { run, port: service.port, key: key.secret, agentPath };
  const memory = () => residentMiB(service.child.pid as number);
  const pace = Pace.start(service.port, other.secret, await fill(service.port, other.secret));
  run.atEnd(() => pace.stop());

  const paces: { title: string; median: number }[] = [];
  const during = async <T>(title: string, work: () => Promise<T>): Promise<T> => {
    await pace.take();
    const result = await work();
    const { times, refused } = await pace.take();
    for (const status of refused) run.found(`${title}: a well-behaved client got ${status}`);
    paces.push({ title, median: median(times) });
    run.showProgress(`${title}: done`);
    return result;
  };
  await delay(200);
  await during('alone', () => delay(isFull ? 3000 : 300));
  const slowly = attackSlowly(target);
  const framed = await during('framing', () => attackFraming(target));
  await during('behind work', () => attackBehindWork(target));
  const mutated = await during('mutations', () => attackWithMutations(target));
  const halves = await during('halves', () => attackWithHalves(target));
  const pipelined = await during('pipelines', () => attackWithPipelines(target));
  const idle = await during('idleness', () => attackWithIdleness(target, isFull ? 2000 : 200));
  const flood = await during('flood', () => attackWithFlood(target));
  const before = memory();
  const longPath = await createAgent(new Connection(service.port), key.secret, longPrompt);
  const late = await during('late readers', () => attackWithLateReaders(target, longPath, memory));
  const readLater = await readLate(target, late);
  const slow = await slowly;
  // The transport is the same on both engines: once is enough for a test run.
  const unread =
    isFull || run.engine === 'sqlite' ? await attackWithoutReading(run, { databaseUrl, key: third.secret }) : {};

  if (late.most > before + maxMiBForLateReaders.allTogether + maxMiBForLateReaders.each * run.amount.lateReaders)
    run.found(`clients that read late cost ${Math.round(late.most - before)} MiB`);
  for (const issue of await remainingIssues(target, service.output())) run.found(issue);
  const [alone, ...attacked] = paces;
  const worst = attacked.toSorted((one, next) => next.median - one.median)[0];
  if (alone === undefined || worst === undefined) throw new Error('nothing was measured');
  const [factor, moreMs] = isFull ? [3, 50] : [10, 300];
  for (const { title, median: during } of attacked)
    if (during > alone.median * factor && during > alone.median + moreMs)
      run.found(`${title}: a well-behaved client waits ${during.toFixed(1)} ms instead of ${alone.median.toFixed(1)}`);
  return {
    framings: framed,
    mutations: mutated,
    'half requests': halves,
    pipelined,
    idle,
    flood,
    slow,
    'answers read late': readLater,
    'MiB for late readers': late.most - before,
    ...unread,
    'ms of a fair client alone': alone.median,
    'at worst': worst.median,
    during: worst.title,
  };
}

/** Creates agents and returns the path of one. */
async function fill(port: number, key: string): Promise<string> {
  const connection = new Connection(port);
  let path = '';
  for (let count = 0; count < agentsInLists; count += 1) path = await createAgent(connection, key, 'よろしく');
  connection.close();
  return path;
}

async function createAgent(connection: Connection, key: string, prompt: string): Promise<string> {
  const body = { name: 'there before', voiceId: 'v', prompt };
  const reply = await connection.request('POST', '/api/v1/agents', { key, body });
  if (reply.status !== 201) throw new Error(`an agent could not be made: ${reply.status}`);
  return `/api/v1/agents/${(JSON.parse(reply.body.toString()) as { id: string }).id}`;
}

/** Conditions that must not exist after the campaign. */
async function remainingIssues({ port, key }: Target, output: string): Promise<string[]> {
  const connection = new Connection(port);
  const issues: string[] = [];
  for (const name of Object.values(forbiddenNames)) {
    const reply = await connection.request('GET', `/api/v1/agents?q=${encodeURIComponent(name)}`, { key });
    const { items } = JSON.parse(reply.body.toString()) as { items: unknown[] };
    if (items.length > 0) issues.push(`${items.length} agents that ${name}`);
  }
  connection.close();
  const lines = output.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line) || /^\s+at /.test(line));
  return [...issues, ...lines.slice(0, 5).map((line) => `the log has an error: ${line}`)];
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
