import type { Generator } from './generator.ts';
import type { LoadResult } from './load.ts';
import type { Measurements } from './measurements.ts';
import { showProgress } from './progress.ts';
import type { RequestPlan } from './requests.ts';
import type { LimitServer, Server } from './servers.ts';
import type { Work } from './works.ts';

export interface Timing {
  readonly rounds: number;
  /** Once, before the first round: JavaScript takes thousands of requests to reach its full speed. */
  readonly firstMs: number;
  readonly warmupMs: number;
  readonly durationMs: number;
}

/** One contestant in one workload. */
export interface Entry {
  readonly contestant: string;
  readonly work: Work;
  readonly server: Server;
  readonly plan: RequestPlan;
  /** Runs before each measurement. */
  readonly prepare?: () => Promise<void>;
}

export interface Contest {
  readonly generator: Generator;
  readonly timing: Timing;
  readonly measurements: Measurements;
}

/** The minimum number of counted responses, for slow requests. */
const minRequests = 5;

/**
 * Measures every entry once per round. Entries of the same workload run directly after one another, in alternating
 * order per round, so that changes in the speed of the machine affect all of them equally.
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

/** One uncounted pass: everything reaches its full speed, and the results give the response sizes. */
export async function warmUp(contest: Contest, entries: readonly Entry[]): Promise<LoadResult[]> {
  const results: LoadResult[] = [];
  const { timing } = contest;
  const longer = { ...contest, timing: { ...timing, durationMs: timing.firstMs } };
  for (const entry of entries) results.push(await measure(longer, entry));
  return results;
}

/** The same requests to the limit server, which responds with the same status and size. */
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
      isUntilIdle: work.isUntilIdle ?? false,
      plan,
    });
  } catch (error) {
    throw new Error(`${contestant}, ${work.title}: ${(error as Error).message}`, { cause: error });
  }
}
