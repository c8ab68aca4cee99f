import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Child, type ChildProgram } from '../../../src/workers/children/child.ts';
import { Pool, type PoolLimits } from '../../../src/workers/pool.ts';
import { programFile } from '../../../src/workers/program-file.ts';
import type { HostileJob } from './hostile-worker.ts';

export const hostileProgram: ChildProgram = {
  file: programFile('./hostile-worker', import.meta.url),
  name: 'hostile jobs',
  maxHeapMb: 64,
  maxResidentMb: 256,
  maxResultBytes: 1024 * 1024,
};

/** Children that obey a `HostileJob`. */
export function hostilePool(
  limits: Partial<PoolLimits> = {},
  program: Partial<ChildProgram> = {},
): Pool<HostileJob, Uint8Array> {
  return new Pool('hostile jobs', (onExit) => new Child({ ...hostileProgram, ...program }, onExit), {
    runners: 2,
    runnersPerWorkspace: 1,
    waiting: 8,
    maxWaitMs: 60_000,
    maxMs: 60_000,
    idleMs: 60_000,
    ...limits,
  });
}

export function resultOf(bytes: Uint8Array | string): unknown {
  return typeof bytes === 'string' ? bytes : JSON.parse(Buffer.from(bytes).toString());
}

/** Polls, because another process decides when it is. */
export async function isGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
      const stat = `/proc/${pid}/stat`;
      // Ended, but nobody has asked for its exit code yet.
      if (existsSync(stat) && / Z /.test(readFileSync(stat, 'utf8'))) return;
    } catch {
      return;
    }
    await delay(10);
  }
}
