import { cpus } from 'node:os';
import { syncedWriteMs } from './disk.ts';
import type { Peer } from './peers.ts';
import { residentBytesOf } from './processes.ts';
import type { Size } from './results.ts';
import { type Contest, type Entry, limitEntry, runRounds, warmUp } from './rounds.ts';
import type { Seed } from './seed.ts';
import {
  type LimitServer,
  type ProductServer,
  startLimit,
  startProduct,
  withoutNameIndex,
  workingCopy,
} from './servers.ts';
import { median } from './statistics.ts';
import { atLeast, atMost, type Target } from './targets.ts';
import {
  createPlan,
  indexWork,
  type Plans,
  plansFor,
  readWorks,
  searchWorks,
  type Work,
  warmWorks,
  writeWorks,
} from './works.ts';

const allWorks: readonly Work[] = [...readWorks, ...writeWorks];
const yardstickWrites = 200;

function entriesOf(contestant: string, server: Entry['server'], plans: Plans, works: readonly Work[]): Entry[] {
  return works.flatMap((work) => {
    const plan = plans[work.id];
    return plan === undefined ? [] : [{ contestant, work, server, plan }];
  });
}

/** The service beside bare Node and beside the peers, on the same agents. */
export async function compare(
  contest: Contest,
  seed: Seed,
  peers: readonly Peer[],
  peerWorks: readonly string[],
): Promise<Target[]> {
  const product = await startProduct(seed, workingCopy(seed.databaseFile));
  const limit = await startLimit();
  const plans = await plansFor(product, seed);
  const own = entriesOf('service', product, plans, allWorks);
  const entries = [...own, ...(await limitEntries(contest, limit, own))];
  const peerServers = [];
  for (const peer of peers) {
    const { server, plans } = await peer.start(seed);
    peerServers.push(server);
    const works = allWorks.filter(({ id }) => peerWorks.includes(id));
    const peerEntries = entriesOf(peer.name, server, plans, works);
    await warmUp(contest, peerEntries);
    entries.push(...peerEntries);
  }

  const isRead = ({ work }: Entry) => readWorks.some(({ id }) => id === work.id);
  await runRounds('reads, beside the limit and the peers', contest, entries.filter(isRead));
  // Writes come last, because they change how much there is to read.
  const yardsticks: number[] = [];
  const writes = entries.filter((entry) => !isRead(entry));
  await runRounds('writes, beside the limit and the peers', contest, writes, () => {
    yardsticks.push(syncedWriteMs(yardstickWrites));
  });
  for (const server of [product, limit, ...peerServers]) await server.stop();
  return [...limitTargets(contest, median(yardsticks)), ...peerTargets(contest)];
}

async function limitEntries(contest: Contest, limit: LimitServer, own: readonly Entry[]): Promise<Entry[]> {
  const results = await warmUp(contest, own);
  const entries = own.flatMap((entry, index) => {
    const result = results[index];
    // An update reads the tag of the answer before, which the limit does not have.
    return result === undefined || entry.plan.kind === 'update' ? [] : [limitEntry(limit, entry, result)];
  });
  await warmUp(contest, entries);
  return entries;
}

function limitTargets({ measurements }: Contest, yardstickMs: number): Target[] {
  const againstLimit = (title: string, work: string, goal: number): Target => {
    const cpu = measurements.ratio('limit', 'service', work, 'cpuUsPerRequest');
    const rate = measurements.ratio('service', 'limit', work, 'requestsPerSecond');
    return atLeast(`${title}, of the limit`, rate, goal, `${cpu.toFixed(2)} by processor time`);
  };
  const createMs = measurements.median('service', 'create-1', 'medianMs');
  return [
    againstLimit('get, warm', 'get', 0.7),
    againstLimit('list 50, random cursor', 'list-50', 0.45),
    againstLimit('list 200, random cursor', 'list-200', 0.4),
    againstLimit('list first page, warm', 'first-page', 0.6),
    againstLimit('durable create, 64 connections', 'create-64', 0.5),
    atMost(
      'durable create, 1 connection, of one write + fdatasync',
      createMs / yardstickMs,
      3,
      '×',
      `${createMs.toFixed(3)} ms of ${yardstickMs.toFixed(3)} ms`,
    ),
  ];
}

function peerTargets({ measurements }: Contest): Target[] {
  const goals: [string, Record<string, number>][] = [
    ['NestJS + TypeORM', { get: 10, 'list-50': 15, 'create-64': 9 }],
    ['Fastify + drizzle', { get: 2, 'list-50': 8, 'create-64': 2 }],
  ];
  return goals.flatMap(([peer, works]) =>
    Object.entries(works).flatMap(([work, goal]) => {
      const rate = measurements.ratio('service', peer, work, 'requestsPerSecond');
      const cpu = measurements.ratio(peer, 'service', work, 'cpuUsPerRequest');
      const title = `${work.replace('-64', '').replace('-', ' ')}, against ${peer}`;
      return Number.isNaN(rate) ? [] : [atLeast(title, rate, goal, `${cpu.toFixed(2)} by processor time`)];
    }),
  );
}

export interface GrowthResult {
  readonly targets: readonly Target[];
  readonly sizes: readonly Size[];
}

export function titleOf({ agents, workspaces }: Seed): string {
  const size = `${agents.toLocaleString('en')} agents`;
  return workspaces === 1 ? size : `${size} in ${workspaces.toLocaleString('en')} workspaces`;
}

const starts = 3;

interface Grown {
  readonly seed: Seed;
  readonly title: string;
  readonly server: ProductServer;
  readonly firstAnswerMs: number;
}

/** The same work on databases of different sizes, smallest first; the largest in one workspace is searched as well. */
export async function grow(contest: Contest, searchContest: Contest, seeds: readonly Seed[]): Promise<GrowthResult> {
  const grown: Grown[] = [];
  const entries: Entry[] = [];
  for (const seed of seeds) {
    const one = await startSeveralTimes(seed);
    grown.push(one);
    entries.push(...entriesOf(one.title, one.server, await plansFor(one.server, seed), [...warmWorks, ...allWorks]));
  }
  const reads = entries.filter(({ work }) => [...warmWorks, ...readWorks].some(({ id }) => id === work.id));
  await warmUp(contest, reads);
  await runRounds('growth, reads', contest, reads);
  const writes = entries.filter((entry) => !reads.includes(entry));
  await warmUp(contest, writes);
  await runRounds('growth, writes', contest, writes);

  const inOneWorkspace = grown.filter(({ seed }) => seed.workspaces === 1);
  const smallest = inOneWorkspace[0] as Grown;
  const largest = inOneWorkspace.at(-1) as Grown;
  const searchTarget = await search(searchContest, largest);
  const indexTarget = await weighIndex(contest, largest);
  const sizes: Size[] = [];
  for (const { seed, title, server, firstAnswerMs } of grown) {
    const residentBytes = Math.max(...server.pids().map(residentBytesOf));
    sizes.push({ title, agents: seed.agents, workspaces: seed.workspaces, firstAnswerMs, residentBytes });
    await server.stop();
  }
  return {
    sizes,
    targets: [
      growthTarget(contest, 'get', smallest, largest),
      growthTarget(contest, 'list-50', smallest, largest),
      searchTarget,
      indexTarget,
      ...sizes.filter(({ title }) => title === largest.title).flatMap(sizeTargets),
    ],
  };
}

async function startSeveralTimes(seed: Seed): Promise<Grown> {
  const databaseFile = workingCopy(seed.databaseFile);
  let server = await startProduct(seed, databaseFile);
  const durations = [server.firstAnswerMs];
  while (durations.length < starts) {
    await server.stop();
    server = await startProduct(seed, databaseFile);
    durations.push(server.firstAnswerMs);
  }
  return { seed, title: titleOf(seed), server, firstAnswerMs: median(durations) };
}

function growthTarget({ measurements }: Contest, work: string, smallest: Grown, largest: Grown): Target {
  const ratioOf = (id: string) => measurements.ratio(largest.title, smallest.title, id, 'cpuUsPerRequest');
  const title = `processor time of ${work.replace('-', ' ')}, warm, ${largest.title} against ${smallest.title}`;
  return atMost(title, ratioOf(`${work}-warm`), 1.1, '×', `${ratioOf(work).toFixed(2)} with random ones of all`);
}

function sizeTargets({ title, firstAnswerMs, residentBytes }: Size): Target[] {
  return [
    atMost(`start to first answer, ${title}`, firstAnswerMs, 2000, 'ms', `median of ${starts}`),
    atMost(`resident memory after the bench, ${title}`, residentBytes / 1e6, 300, 'MB', 'the largest process'),
  ];
}

/** Creates with the index of names and without it, each with what the server does about them later. */
async function weighIndex(contest: Contest, { seed, title, server }: Grown): Promise<Target> {
  const bareTitle = `${title}, without the index of names`;
  const bare = await startProduct(seed, workingCopy(seed.databaseFile), {}, withoutNameIndex);
  const plan = createPlan(seed);
  const entries = [
    { contestant: title, work: indexWork, server, plan },
    { contestant: bareTitle, work: indexWork, server: bare, plan },
  ];
  await warmUp(contest, entries);
  await runRounds('creates, what the index costs', contest, entries);
  await bare.stop();
  const ratio = (figure: 'cpuUsPerRequest' | 'requestsPerSecond') =>
    contest.measurements.ratio(title, bareTitle, indexWork.id, figure);
  const rate = 1 / ratio('requestsPerSecond');
  const note = `by processor time; ${rate.toFixed(2)} by requests/s`;
  return atMost('create with the search index against without', ratio('cpuUsPerRequest'), 1.3, '×', note);
}

async function search(contest: Contest, { seed, title, server }: Grown): Promise<Target> {
  const works = await searchWorks(server, seed);
  const entries = works.map((work) => ({ contestant: title, work, server, plan: work.plan }));
  await runRounds(`search, ${title}`, contest, entries);
  const medians = works.map(({ id }) => ({ id, ms: contest.measurements.median(title, id, 'medianMs') }));
  const worst = medians.reduce((worst, one) => (one.ms > worst.ms ? one : worst));
  return atMost(`slowest search, ${title}, median`, worst.ms, 5, 'ms', worst.id.replace('search ', ''));
}

const twoWorkers = '2 workers';

/** Reads with two processes against one. Null where the service does not have the setting. */
export async function compareWorkers(contest: Contest, seed: Seed): Promise<Target[] | null> {
  const two = await startProduct(seed, workingCopy(seed.databaseFile), { WORKERS: '2' });
  if (two.pids().length === 1) {
    await two.stop();
    return null;
  }
  const one = await startProduct(seed, workingCopy(seed.databaseFile));
  const works = readWorks.filter(({ id }) => id !== 'list-200');
  const entries = [
    ...entriesOf('1 process', one, await plansFor(one, seed), works),
    ...entriesOf(twoWorkers, two, await plansFor(two, seed), works),
  ];
  await warmUp(contest, entries);
  await runRounds('WORKERS=2', contest, entries);
  for (const server of [one, two]) await server.stop();
  return works.map(({ id, title }) => {
    const rate = contest.measurements.ratio(twoWorkers, '1 process', id, 'requestsPerSecond');
    const most = mostWithAllCores(contest, '1 process', id);
    const note = `at most ${most.toFixed(2)}: the cores serve the load generator, too`;
    return atLeast(`WORKERS=2 against one process, ${title}`, rate, 1.6, note);
  });
}

/** How many times as much it would be if every core did nothing but what one server and its load generator do. */
function mostWithAllCores({ measurements }: Contest, contestant: string, work: string): number {
  const { length: cores } = cpus();
  const servers = measurements.median(contestant, work, 'serverLoad');
  return cores / (servers + measurements.median(contestant, work, 'generatorLoad'));
}
