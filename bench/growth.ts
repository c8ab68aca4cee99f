import { entriesOf } from './compare.ts';
import type { Size } from './figures.ts';
import { residentBytesOf } from './processes.ts';
import { type BenchContext, type Entry, runRounds, warmUp } from './rounds.ts';
import { type Seed, titleOf } from './seed.ts';
import { type ProductServer, startProduct, withoutNameIndex, workingCopy } from './servers.ts';
import { median } from './statistics.ts';
import { atMost, type Target } from './targets.ts';
import { allWorks, createPlan, indexWork, plansFor, readWorks, searchWorks, warmWorks } from './works.ts';

export interface GrowthResult {
  readonly targets: readonly Target[];
  readonly sizes: readonly Size[];
}

const starts = 3;

interface Grown {
  readonly seed: Seed;
  readonly title: string;
  readonly server: ProductServer;
  readonly firstAnswerMs: number;
}

/** The same workload on databases of different sizes, smallest first; the largest single workspace is also searched. */
export async function grow(
  context: BenchContext,
  searchContext: BenchContext,
  seeds: readonly Seed[],
): Promise<GrowthResult> {
  const grown: Grown[] = [];
  const entries: Entry[] = [];
  for (const seed of seeds) {
    const one = await startSeveralTimes(seed);
    grown.push(one);
    entries.push(...entriesOf(one.title, one.server, await plansFor(one.server, seed), [...warmWorks, ...allWorks]));
  }
  const reads = entries.filter(({ work }) => [...warmWorks, ...readWorks].some(({ id }) => id === work.id));
  await warmUp(context, reads);
  await runRounds('growth, reads', context, reads);
  const writes = entries.filter((entry) => !reads.includes(entry));
  await warmUp(context, writes);
  await runRounds('growth, writes', context, writes);

  const inOneWorkspace = grown.filter(({ seed }) => seed.workspaces === 1);
  const smallest = inOneWorkspace[0] as Grown;
  const largest = inOneWorkspace.at(-1) as Grown;
  const searchTarget = await search(searchContext, largest);
  const indexTarget = await measureIndexCost(context, largest);
  const sizes: Size[] = [];
  for (const { seed, title, server, firstAnswerMs } of grown) {
    const residentBytes = Math.max(...server.pids().map(residentBytesOf));
    sizes.push({ title, agents: seed.agents, workspaces: seed.workspaces, firstAnswerMs, residentBytes });
    await server.stop();
  }
  return {
    sizes,
    targets: [
      growthTarget(context, 'get', smallest, largest),
      growthTarget(context, 'list-50', smallest, largest),
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

function growthTarget({ measurements }: BenchContext, work: string, smallest: Grown, largest: Grown): Target {
  const ratioOf = (id: string) => measurements.ratio(largest.title, smallest.title, id, 'cpuUsPerRequest');
  const title = `processor time of ${work.replace('-', ' ')}, warm, ${largest.title} against ${smallest.title}`;
  return atMost(title, ratioOf(`${work}-warm`), null, '×', `${ratioOf(work).toFixed(2)} with random ones of all`);
}

function sizeTargets({ title, firstAnswerMs, residentBytes }: Size): Target[] {
  return [
    atMost(`start to first answer, ${title}`, firstAnswerMs, 2000, 'ms', `median of ${starts}`),
    atMost(`resident memory after the bench, ${title}`, residentBytes / 1e6, 300, 'MB', 'the largest process'),
  ];
}

/** Creates with and without the name index, including the background work that they cause in the server. */
async function measureIndexCost(context: BenchContext, { seed, title, server }: Grown): Promise<Target> {
  const bareTitle = `${title}, without the index of names`;
  const bare = await startProduct(seed, workingCopy(seed.databaseFile), {}, withoutNameIndex);
  const plan = createPlan(seed);
  const entries = [
    { subject: title, work: indexWork, server, plan },
    { subject: bareTitle, work: indexWork, server: bare, plan },
  ];
  await warmUp(context, entries);
  await runRounds('creates, what the index costs', context, entries);
  await bare.stop();
  const ratio = (figure: 'cpuUsPerRequest' | 'requestsPerSecond') =>
    context.measurements.ratio(title, bareTitle, indexWork.id, figure);
  const rate = 1 / ratio('requestsPerSecond');
  const note = `by processor time; ${rate.toFixed(2)} by requests/s`;
  return atMost('create with the search index against without', ratio('cpuUsPerRequest'), 1.3, '×', note);
}

async function search(context: BenchContext, { seed, title, server }: Grown): Promise<Target> {
  const works = await searchWorks(server, seed);
  const entries = works.map((work) => ({ subject: title, work, server, plan: work.plan }));
  await runRounds(`search, ${title}`, context, entries);
  const medians = works.map(({ id }) => ({ id, ms: context.measurements.median(title, id, 'medianMs') }));
  const worst = medians.reduce((worst, one) => (one.ms > worst.ms ? one : worst));
  return atMost(`slowest search, ${title}, median`, worst.ms, 5, 'ms', worst.id.replace('search ', ''));
}
