import { syncedWriteMs } from './disk.ts';
import type { Peer } from './peers.ts';
import { type Contest, type Entry, limitEntry, runRounds, warmUp } from './rounds.ts';
import { type Seed, titleOf } from './seed.ts';
import { type LimitServer, type Server, startLimit, startProduct, workingCopy } from './servers.ts';
import { median } from './statistics.ts';
import { atLeast, atMost, type Target, type Thresholds } from './targets.ts';
import { allWorks, type Plans, plansFor, readWorks, type Work } from './works.ts';

const yardstickWrites = 200;
/**
 * With a core to itself, the limit server is busier than this. Otherwise it is not the limit, and the ratio tends
 * towards 1.
 */
const quietLoad = 0.9;

export interface Comparison {
  readonly seed: Seed;
  /** The workload ids for the service and the limit. */
  readonly works: readonly string[];
  readonly thresholds: Thresholds;
  readonly peers: readonly Peer[];
  /** The workload ids for the peers. */
  readonly peerWorks: readonly string[];
}

/** Measures the service against the limit, and against the peers if there are any, with the same agents. */
export async function compare(contest: Contest, comparison: Comparison): Promise<Target[]> {
  const { seed, works, peers, peerWorks } = comparison;
  const title = `beside the limit, ${titleOf(seed)}`;
  const product = await startProduct(seed, workingCopy(seed.databaseFile));
  const limit = await startLimit();
  const own = entriesOf('service', product, await plansFor(product, seed), worksOf(works));
  const entries = [...own, ...(await limitEntries(contest, limit, own))];
  const servers: Server[] = [product, limit];
  for (const peer of peers) {
    const { server, plans } = await peer.start(seed);
    servers.push(server);
    const peerEntries = entriesOf(peer.name, server, plans, worksOf(peerWorks));
    await warmUp(contest, peerEntries);
    entries.push(...peerEntries);
  }

  const reads = entries.filter(({ work }) => readWorks.some(({ id }) => id === work.id));
  await runRounds(`${title}, reads`, contest, reads);
  // Writes come last, because they change the amount of data.
  const writes = entries.filter((entry) => !reads.includes(entry));
  const yardsticks: number[] = [];
  const hasYardstick = works.includes('create-1');
  if (writes.length > 0) {
    await runRounds(`${title}, writes`, contest, writes, () => {
      if (hasYardstick) yardsticks.push(syncedWriteMs(yardstickWrites));
    });
  }
  for (const server of servers) await server.stop();
  return [
    ...limitTargets(contest, comparison),
    ...(hasYardstick ? [syncTarget(contest, median(yardsticks))] : []),
    ...peers.flatMap(({ name }) => peerTargets(contest, name)),
  ];
}

function worksOf(ids: readonly string[]): Work[] {
  return allWorks.filter(({ id }) => ids.includes(id));
}

export function entriesOf(contestant: string, server: Server, plans: Plans, works: readonly Work[]): Entry[] {
  return works.flatMap((work) => {
    const plan = plans[work.id];
    return plan === undefined ? [] : [{ contestant, work, server, plan }];
  });
}

async function limitEntries(contest: Contest, limit: LimitServer, own: readonly Entry[]): Promise<Entry[]> {
  const results = await warmUp(contest, own);
  const entries = own.flatMap((entry, index) => {
    const result = results[index];
    // An update needs the ETag of the previous response, which the limit server does not send.
    return result === undefined || entry.plan.kind === 'update' ? [] : [limitEntry(limit, entry, result)];
  });
  await warmUp(contest, entries);
  return entries;
}

function limitTargets({ measurements }: Contest, { seed, thresholds }: Comparison): Target[] {
  return Object.entries(thresholds).map(([id, threshold]) => {
    const title = allWorks.find((work) => work.id === id)?.title;
    const rates = measurements.ratios('service', 'limit', id, 'requestsPerSecond');
    const cpu = measurements.ratio('limit', 'service', id, 'cpuUsPerRequest');
    const spread = `${Math.min(...rates).toFixed(2)} to ${Math.max(...rates).toFixed(2)}`;
    const note = `${cpu.toFixed(2)} by processor time; rounds ${spread}`;
    const isDoubtful = measurements.median('limit', id, 'serverLoad') < quietLoad;
    return { ...atLeast(`${title}, of the limit, ${titleOf(seed)}`, median(rates), threshold, note), isDoubtful };
  });
}

/** A create on one connection, relative to the minimum time of a durable write on this disk. */
function syncTarget({ measurements }: Contest, yardstickMs: number): Target {
  const createMs = measurements.median('service', 'create-1', 'medianMs');
  const note = `${createMs.toFixed(3)} ms of ${yardstickMs.toFixed(3)} ms`;
  return atMost('create, 1 connection, of one write + fdatasync', createMs / yardstickMs, 3, '×', note);
}

/** For information only: the behavior of a peer depends on its setup, so there is no target. */
function peerTargets({ measurements }: Contest, peer: string): Target[] {
  return ['get', 'list-50', 'create-64'].flatMap((id) => {
    const rate = measurements.ratio('service', peer, id, 'requestsPerSecond');
    const cpu = measurements.ratio(peer, 'service', id, 'cpuUsPerRequest');
    const title = `${id.replace('-64', '').replace('-', ' ')}, against ${peer}`;
    return Number.isNaN(rate) ? [] : [atLeast(title, rate, null, `${cpu.toFixed(2)} by processor time`)];
  });
}
