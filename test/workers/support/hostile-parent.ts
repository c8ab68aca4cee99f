/** A process that prints what its child answers, and then gives it another job. */

import { hostilePool, resultOf } from './hostile-pool.ts';
import type { HostileJob } from './hostile-worker.ts';

const pool = hostilePool({ maxMs: 600_000 });
for (const job of JSON.parse(process.argv[2] ?? '[]') as HostileJob[]) {
  process.stdout.write(`${JSON.stringify(resultOf(await pool.perform('workspace', job)))}\n`);
}
// An idle child does not keep its parent alive, but this does.
setInterval(() => {}, 60_000);
