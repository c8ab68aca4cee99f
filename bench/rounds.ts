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

export interface Entry {
  /** What is measured: the service, the limit or a peer. */
  readonly subject: string;
  readonly work: Work;
  readonly server: Server;
  readonly plan: RequestPlan;
  /** Runs before each measurement. */
  readonly prepare?: () => Promise<void>;
}

export interface BenchContext {
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
  context: BenchContext,
  entries: readonly Entry[],
  afterEachRound: () => void = () => {},
): Promise<void> {
  const { timing, measurements } = context;
  const byWork = [...Map.groupBy(entries, (entry) => entry.work.id).values()];
  const progress = showProgress(title, timing.rounds * entries.length);
  let done = 0;
  for (let round = 0; round < timing.rounds; round += 1) {
    for (const entriesOfWork of byWork) {
      for (const entry of round % 2 === 0 ? entriesOfWork : entriesOfWork.toReversed()) {
        measurements.add(entry.subject, entry.work.id, await measure(context, entry));
        done += 1;
        progress.advanceTo(done);
      }
    }
    afterEachRound();
  }
  progress.end();
}

/** One uncounted pass: everything reaches its full speed, and the results give the response sizes. */
export async function warmUp(context: BenchContext, entries: readonly Entry[]): Promise<LoadResult[]> {
  const results: LoadResult[] = [];
  const { timing } = context;
  const longer = { ...context, timing: { ...timing, durationMs: timing.firstMs } };
  for (const entry of entries) results.push(await measure(longer, entry));
  return results;
}

/** The same requests to the limit server, which responds with the same status and size. */
export function limitEntry(limit: LimitServer, { work, plan }: Entry, { meanBodyBytes }: LoadResult): Entry {
  const prepare = () => limit.set({ bytes: Math.round(meanBodyBytes), status: work.status });
  return { subject: 'limit', work, plan, server: limit, prepare };
}

async function measure({ generator, timing }: BenchContext, entry: Entry): Promise<LoadResult> {
  const { subject, work, server, plan, prepare } = entry;
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
    throw new Error(`${subject}, ${work.title}: ${(error as Error).message}`, { cause: error });
  }
}
