import { join } from 'node:path';
import type { Jobs } from './figures.ts';
import type { LoadResult } from './load.ts';
import { benchFolder } from './processes.ts';
import type { BenchContext } from './rounds.ts';
import type { Seed } from './seed.ts';
import { type Server, startProduct, workingCopy } from './servers.ts';
import { atLeast, minJobsPerSecond, type Target } from './targets.ts';
import { getPlan, manyConnections } from './works.ts';

const program = join(benchFolder, 'jobs-service.ts');
/** The share of the peak at which requests are sent next to the jobs. */
const share = 0.5;
const minDurationMs = 3000;

export interface JobsResult {
  readonly jobs: Jobs;
  readonly targets: readonly Target[];
}

/** Jobs that do nothing, in a service that serves get at half of its peak. */
export async function measureJobs({ generator, timing }: BenchContext, seed: Seed): Promise<JobsResult> {
  const load = (server: Server, maxRequestsPerSecond: number | null, durationMs: number): Promise<LoadResult> =>
    generator.run({
      port: server.port,
      connections: manyConnections,
      warmupMs: timing.warmupMs,
      durationMs,
      minRequests: 1,
      pids: server.pids(),
      isUntilIdle: false,
      plan: getPlan(seed),
      ...(maxRequestsPerSecond === null ? {} : { maxRequestsPerSecond }),
    });

  const alone = await startProduct(seed, workingCopy(seed.databaseFile));
  await load(alone, null, timing.firstMs);
  const durationMs = Math.max(timing.durationMs, minDurationMs);
  const peak = await load(alone, null, durationMs);
  await alone.stop();

  const busy = await startProduct(seed, workingCopy(seed.databaseFile), {}, program);
  const half = peak.requestsPerSecond * share;
  await load(busy, half, timing.firstMs);
  const startMs = performance.now();
  const before = await succeededJobs(busy);
  const beside = await load(busy, half, durationMs);
  const jobsPerSecond = ((await succeededJobs(busy)) - before) / ((performance.now() - startMs) / 1000);
  await busy.stop();

  const peakRate = peak.requestsPerSecond;
  const jobs = { jobsPerSecond, getPeakPerSecond: peakRate, get: beside };
  const kept = beside.requestsPerSecond / peakRate;
  const note = `get at ${kept.toFixed(2)} of its peak of ${Math.round(peakRate)}/s, p99 ${beside.p99Ms.toFixed(1)} ms, alone ${peak.p99Ms.toFixed(1)} ms`;
  return {
    jobs,
    targets: [
      atLeast('trivial jobs beside get at half of its peak', jobsPerSecond, minJobsPerSecond, note, '/s'),
      // The offered rate is exactly half; slightly less is due to the granularity of pacing.
      atLeast('get beside the jobs, of its peak', kept, share * 0.95),
    ],
  };
}

async function succeededJobs({ port }: Server): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const match = /^job_runs_total\{kind="bench\.trivial",outcome="succeeded"\} (\d+)$/m.exec(text);
  return Number(match?.[1] ?? 0);
}
