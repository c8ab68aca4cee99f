import type { Generator } from './generator.ts';
import type { LoadResult } from './load.ts';
import type { Measurements } from './measurements.ts';
import { showProgress } from './progress.ts';
import type { RequestPlan } from './requests.ts';
import type { LimitServer, Server } from './servers.ts';
import type { Work } from './works.ts';

export interface Timing {
  readonly rounds: number;
  /** Once, before the first round: a program in JavaScript takes thousands of requests to become as fast as it gets. */
  readonly firstMs: number;
  readonly warmupMs: number;
  readonly durationMs: number;
}

/** One contestant at one work. */
export interface Entry {
  readonly contestant: string;
  readonly work: Work;
  readonly server: Server;
  readonly plan: RequestPlan;
  /** Before each measurement. */
  readonly prepare?: () => Promise<void>;
}

export interface Contest {
  readonly generator: Generator;
  readonly timing: Timing;
  readonly measurements: Measurements;
}

/** So that a slow answer is not the only one that is counted. */
const minRequests = 5;

/**
 * Measures every entry once a round. What is compared, which is the same work, follows directly upon each other, and
 * every other round the other way round, so that a machine that gets slower or faster does so for all alike.
 */
export async function runRounds(
  title: string,
  contest: Contest,
  entries: readonly Entry[],
  afterEachRound: () => void = () => {},
): Promise<void> {
  const { timing, measurements } = contest;
  const byWork = [...Map.groupBy(entries, (entry) => entry.work.id).values()];
  const progress = showProgress(title, timing.rounds * entries.length);
  let done = 0;
  for (let round = 0; round < timing.rounds; round += 1) {
    for (const rivals of byWork) {
      for (const entry of round % 2 === 0 ? rivals : rivals.toReversed()) {
        measurements.add(entry.contestant, entry.work.id, await measure(contest, entry));
        done += 1;
        progress.advanceTo(done);
      }
    }
    afterEachRound();
  }
  progress.end();
}

/** Once through, uncounted: everybody gets as fast as they get, and what comes back shows how long the answers are. */
export async function warmUp(contest: Contest, entries: readonly Entry[]): Promise<LoadResult[]> {
  const results: LoadResult[] = [];
  const { timing } = contest;
  const longer = { ...contest, timing: { ...timing, durationMs: timing.firstMs } };
  for (const entry of entries) results.push(await measure(longer, entry));
  return results;
}

/** The same requests to the limit, which answers as many bytes, with the same status. */
export function limitEntry(limit: LimitServer, { work, plan }: Entry, { meanBodyBytes }: LoadResult): Entry {
  const prepare = () => limit.set({ bytes: Math.round(meanBodyBytes), status: work.status });
  return { contestant: 'limit', work, plan, server: limit, prepare };
}

async function measure({ generator, timing }: Contest, entry: Entry): Promise<LoadResult> {
  const { contestant, work, server, plan, prepare } = entry;
  const { warmupMs, durationMs } = timing;
  try {
    await prepare?.();
    return await generator.run({
      port: server.port,
      connections: work.connections,
      warmupMs,
      durationMs,
      minRequests,
      pids: server.pids(),
      isUntilRest: work.isUntilRest ?? false,
      plan,
    });
  } catch (error) {
    throw new Error(`${contestant}, ${work.title}: ${(error as Error).message}`, { cause: error });
  }
}
