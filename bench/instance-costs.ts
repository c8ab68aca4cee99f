import { setTimeout as delay } from 'node:timers/promises';
import { testFrames } from '../src/voice/providers/test/frames.ts';
import type { PostgresServer } from '../test/support/postgres-server.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { agentRequest } from './documents.ts';
import { Generator } from './generator.ts';
import { converse, type JoinableCall, scriptOf } from './live-caller.ts';
import { cpuMsOf } from './processes.ts';
import { showProgress } from './progress.ts';
import { figure } from './report.ts';
import type { RequestPlan } from './requests.ts';
import { median } from './statistics.ts';
import { atMost, type Target } from './targets.ts';
import { doubles, doubleTurnMs, loadText, Service } from './web-calls.ts';
import { manyConnections } from './works.ts';

const rounds = 5;
const maxRatio = 1.1;
const agents = 1000;
const path = '/api/v1/agents';

const readsPerSecond = 1500;
const createsPerSecond = 400;
const requestMs = 4000;
const warmUpMs = 6000;
const chats = 40;
const messagesOfChat = 16;
const messagePauseMs = 400;
const spokenCalls = 80;
const spokenMs = 9000;
const idleMs = 5000;
/** Turned around in every other round. */
const order = ['one', 'half', 'two'] as const;

/** A kind of work: prepares it, and returns what is measured, which resolves to how many times it was done. */
type Work = (cluster: Running) => Promise<() => Promise<number>>;

interface Running {
  readonly services: readonly Service[];
  /** How many halves of the load it gets. */
  readonly halves: 1 | 2;
  readonly readPlan: RequestPlan;
  readonly createPlan: RequestPlan;
  readonly agentId: string;
}

/**
 * Processor time of the service with two instances, compared with one: the same load, on databases of the same server,
 * in turns. All instances run all the time; those that are not measured have nothing to do.
 */
export async function measureInstanceCosts(postgres: PostgresServer): Promise<readonly Target[]> {
  const generators = [new Generator(), new Generator()];
  const one = await startCluster(await openCluster(postgres, 'one'), 1);
  const two = await startCluster(await openCluster(postgres, 'two'), 2);
  const clusters = { one, half: { ...one, halves: 1 as const }, two };
  const works: readonly [string, Work][] = [
    ['read', async (cluster) => () => request(generators, cluster, cluster.readPlan, readsPerSecond)],
    ['create', async (cluster) => () => request(generators, cluster, cluster.createPlan, createsPerSecond)],
    ['chat message', prepareChats],
    ['spoken minute', prepareSpokenCalls],
  ];
  for (const cluster of [one, two]) await warmUp(generators, cluster);
  const progress = showProgress('two instances and one', rounds * works.length);
  const costs = new Map(
    works.map(([title]) => [title, { one: [] as number[], half: [] as number[], two: [] as number[] }]),
  );
  for (let round = 0; round < rounds; round += 1) {
    for (const [place, [title, work]] of works.entries()) {
      for (const name of round % 2 === 0 ? order : order.toReversed())
        costs.get(title)?.[name].push(await costOf(clusters[name], work));
      progress.advanceTo(round * works.length + place + 1);
    }
  }
  progress.end();
  const idle = await Promise.all([one, two].map(idleShare));
  for (const { services } of [one, two]) for (const service of services) await service.close();
  return [...costs].map(([title, each]) => ratioTarget(title, each, idle));
}

function ratioTarget(
  title: string,
  { one, half, two }: Record<'one' | 'half' | 'two', readonly number[]>,
  idle: readonly number[],
): Target {
  const ratios = one.map((cost, round) => (two[round] as number) / cost);
  const note = [
    `${figure(median(two))} and ${figure(median(one))} ms`,
    `one with half of the load ${figure(median(half))} ms`,
    `rounds ${figure(Math.min(...ratios))} to ${figure(Math.max(...ratios))}`,
    `idle ${idle
      .map((share) => `${figure(share * 100)} %`)
      .reverse()
      .join(' and ')}`,
    loadText(),
  ].join(', ');
  return atMost(`processor time per ${title}, two instances compared with one`, median(ratios), maxRatio, '×', note);
}

async function startCluster(cluster: Cluster, instances: number): Promise<Running> {
  const { keys } = cluster;
  const services: Service[] = [];
  while (services.length < instances) services.push(new Service(await cluster.start(), keys[0] as string));
  const [service] = services as [Service];
  const addresses: string[] = [];
  while (addresses.length < agents) {
    addresses.push(`${path}/${(await service.send('POST', '/agents', agentRequest(addresses.length))).id}`);
  }
  return {
    services,
    halves: 2,
    readPlan: { kind: 'addresses', keys, addresses, owners: null },
    createPlan: { kind: 'create', path, keys, firstNumber: agents },
    agentId: (await service.send('POST', '/agents', doubles)).id,
  };
}

/** Each instance gets as many requests, as fast as it can serve them, so that all have reached their full speed. */
async function warmUp(generators: readonly Generator[], { services, ...cluster }: Running): Promise<void> {
  for (const service of services) {
    const alone = { ...cluster, services: [service] };
    for (const plan of [cluster.readPlan, cluster.createPlan]) await request(generators, alone, plan, null, warmUpMs);
    for (const prepare of [prepareChats, prepareSpokenCalls]) await (await prepare(alone))();
  }
}

function serviceAt({ services }: Running, number: number): Service {
  return services[number % services.length] as Service;
}

function busyMs({ services }: Running): number {
  return cpuMsOf(services.flatMap(({ server }) => server.pids()));
}

async function costOf(cluster: Running, work: Work): Promise<number> {
  const run = await work(cluster);
  const before = busyMs(cluster);
  const count = await run();
  return (busyMs(cluster) - before) / count;
}

async function idleShare(cluster: Running): Promise<number> {
  const before = busyMs(cluster);
  await delay(idleMs);
  return (busyMs(cluster) - before) / idleMs;
}

async function request(
  generators: readonly Generator[],
  cluster: Running,
  plan: RequestPlan,
  perSecond: number | null,
  durationMs = requestMs,
): Promise<number> {
  const results = await Promise.all(
    generators.slice(0, cluster.halves).map((generator, half) =>
      generator.run({
        port: serviceAt(cluster, half).server.port,
        connections: manyConnections / 2,
        warmupMs: 0,
        durationMs,
        minRequests: 1,
        pids: [],
        isUntilIdle: false,
        plan,
        ...(perSecond === null ? {} : { maxRequestsPerSecond: perSecond / 2 }),
      }),
    ),
  );
  return results.reduce((sum, { requests }) => sum + requests, 0);
}

/** The messages of a chat go to the instances in turn. */
async function prepareChats(cluster: Running): Promise<() => Promise<number>> {
  const callIds: string[] = [];
  const body = { type: 'chat', agentId: cluster.agentId, agentVersion: 'latest' };
  const count = (chats * cluster.halves) / 2;
  while (callIds.length < count) callIds.push((await serviceAt(cluster, 0).send('POST', '/calls', body)).id);
  return async () => {
    const startMs = performance.now();
    const talk = async (id: string, place: number): Promise<void> => {
      for (let number = 0; number < messagesOfChat; number += 1) {
        const dueMs = startMs + (number + place / count) * messagePauseMs;
        await delay(Math.max(0, dueMs - performance.now()));
        await serviceAt(cluster, place + number).send('POST', `/calls/${id}/messages`, { text: `Message ${number}` });
      }
    };
    await Promise.all(callIds.map(talk));
    return count * messagesOfChat;
  };
}

async function prepareSpokenCalls(cluster: Running): Promise<() => Promise<number>> {
  const body = { type: 'web', agentId: cluster.agentId, agentVersion: 'latest' };
  const script = { frames: scriptOf(testFrames('tomorrow', 10), doubleTurnMs), lastVoiced: 9 };
  const calls: JoinableCall[] = [];
  const count = (spokenCalls * cluster.halves) / 2;
  while (calls.length < count) {
    const { id, access } = await serviceAt(cluster, 0).send('POST', '/calls', body);
    calls.push({ id, token: access.token });
  }
  return async () => {
    const share = spokenCalls / 2;
    const responsesMs = await Promise.all(
      Array.from({ length: cluster.halves }, (_, half) => {
        const { port } = serviceAt(cluster, half).server;
        return converse(port, calls.slice(half * share, (half + 1) * share), script, spokenMs);
      }),
    );
    const answered = responsesMs.flat().length;
    const expected = count * (spokenMs / doubleTurnMs - 1);
    if (answered < 0.5 * expected) throw new Error(`${answered} of ${expected} turns were answered`);
    return (count * spokenMs) / 60_000;
  };
}
