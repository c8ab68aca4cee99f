import { syncedWriteMs } from './disk.ts';
import type { Peer } from './peers.ts';
import { type BenchContext, type Entry, limitEntry, runRounds, warmUp } from './rounds.ts';
import { type Seed, titleOf } from './seed.ts';
import { type LimitServer, type Server, startLimit, startProduct, workingCopy } from './servers.ts';
import { median } from './statistics.ts';
import { atLeast, atMost, type Target, type Thresholds } from './targets.ts';
import { allWorks, type Plans, plansFor, readWorks, type Work } from './works.ts';

const syncedWrites = 200;
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
export async function compare(context: BenchContext, comparison: Comparison): Promise<Target[]> {
  const { seed, works, peers, peerWorks } = comparison;
  const title = `beside the limit, ${titleOf(seed)}`;
  const product = await startProduct(seed, workingCopy(seed.databaseFile));
  const limit = await startLimit();
  const own = entriesOf('service', product, await plansFor(product, seed), worksOf(works));
  const entries = [...own, ...(await limitEntries(context, limit, own))];
  const servers: Server[] = [product, limit];
  for (const peer of peers) {
    const { server, plans } = await peer.start(seed);
    servers.push(server);
    const peerEntries = entriesOf(peer.name, server, plans, worksOf(peerWorks));
    await warmUp(context, peerEntries);
    entries.push(...peerEntries);
  }

  const reads = entries.filter(({ work }) => readWorks.some(({ id }) => id === work.id));
  await runRounds(`${title}, reads`, context, reads);
  // Writes come last, because they change the amount of data.
  const writes = entries.filter((entry) => !reads.includes(entry));
  const writeTimes: number[] = [];
  const measuresSyncedWrite = works.includes('create-1');
  if (writes.length > 0) {
    await runRounds(`${title}, writes`, context, writes, () => {
      if (measuresSyncedWrite) writeTimes.push(syncedWriteMs(syncedWrites));
    });
  }
  for (const server of servers) await server.stop();
  return [
    ...limitTargets(context, comparison),
    ...(measuresSyncedWrite ? [syncTarget(context, median(writeTimes))] : []),
    ...peers.flatMap(({ name }) => peerTargets(context, name)),
  ];
}

function worksOf(ids: readonly string[]): Work[] {
  return allWorks.filter(({ id }) => ids.includes(id));
}

export function entriesOf(subject: string, server: Server, plans: Plans, works: readonly Work[]): Entry[] {
  return works.flatMap((work) => {
    const plan = plans[work.id];
    return plan === undefined ? [] : [{ subject, work, server, plan }];
  });
}

async function limitEntries(context: BenchContext, limit: LimitServer, own: readonly Entry[]): Promise<Entry[]> {
  const results = await warmUp(context, own);
  const entries = own.flatMap((entry, index) => {
    const result = results[index];
    // An update needs the ETag of the previous response, which the limit server does not send.
    return result === undefined || entry.plan.kind === 'update' ? [] : [limitEntry(limit, entry, result)];
  });
  await warmUp(context, entries);
  return entries;
}

function limitTargets({ measurements }: BenchContext, { seed, thresholds }: Comparison): Target[] {
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
function syncTarget({ measurements }: BenchContext, syncedMs: number): Target {
  const createMs = measurements.median('service', 'create-1', 'medianMs');
  const note = `${createMs.toFixed(3)} ms of ${syncedMs.toFixed(3)} ms`;
  return atMost('create, 1 connection, of one write + fdatasync', createMs / syncedMs, 3, '×', note);
}

/** For information only: the behavior of a peer depends on its setup, so there is no target. */
function peerTargets({ measurements }: BenchContext, peer: string): Target[] {
  return ['get', 'list-50', 'create-64'].flatMap((id) => {
    const rate = measurements.ratio('service', peer, id, 'requestsPerSecond');
    const cpu = measurements.ratio(peer, 'service', id, 'cpuUsPerRequest');
    const title = `${id.replace('-64', '').replace('-', ' ')}, against ${peer}`;
    return Number.isNaN(rate) ? [] : [atLeast(title, rate, null, `${cpu.toFixed(2)} by processor time`)];
  });
}
