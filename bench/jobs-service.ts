/** The unmodified service with a kind of job that does nothing, and a producer that adds such jobs continuously. */
import { setTimeout as delay } from 'node:timers/promises';
import type { JobKind } from '../src/jobs/kind.ts';
import { serve } from '../src/main.ts';

/** 25 % more than required. */
const addedPerSecond = 1250;
const addEveryMs = 50;
const maxQueued = 5000;

await serve(process.env, {
  otherJobs: ({ database, jobs }) => {
    let added = 0;
    let ended = 0;
    const kind: JobKind = {
      name: 'bench.trivial',
      maxAttempts: 3,
      retryDelaysMs: [1000],
      timeoutMs: 10_000,
      concurrency: 100,
      run: async () => {
        ended += 1;
      },
    };
    const produce = async (): Promise<never> => {
      let lastMs = performance.now();
      for (;;) {
        await delay(addEveryMs);
        const nowMs = performance.now();
        const count = Math.min(Math.round(((nowMs - lastMs) * addedPerSecond) / 1000), maxQueued - (added - ended));
        lastMs = nowMs;
        if (count <= 0) continue;
        await database.transaction(async (queries) => {
          for (let number = 0; number < count; number += 1) await jobs.add(queries, kind, { payload: { number } });
        });
        added += count;
      }
    };
    void produce();
    return [kind];
  },
});
