import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { RunOutcome } from '../../src/jobs/worker.ts';

/** What a worker process did, ordered by the machine's monotonic clock, which all processes share. */
export interface Entry {
  readonly what: 'start' | 'end' | 'outcome';
  readonly jobId: string;
  readonly kind: string;
  readonly attempt: number;
  readonly pid: number;
  readonly ms: number;
  readonly outcome?: RunOutcome;
}

export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** One write per line, appended: lines of several processes do not mix, and a kill leaves only complete ones. */
export function append(file: string, entry: Entry): void {
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}

export function readLedger(file: string): Entry[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Entry);
}

/** Processes that are running a job, those with one of the given kind first. */
export function busyPids(entries: readonly Entry[], preferredKind: string): number[] {
  const open = new Map<string, Entry>();
  for (const entry of entries) {
    const name = `${entry.jobId} ${entry.attempt} ${entry.pid}`;
    if (entry.what === 'start') open.set(name, entry);
    else open.delete(name);
  }
  const isPreferred = ({ kind }: Entry) => Number(kind === preferredKind);
  return [...open.values()].sort((a, b) => isPreferred(b) - isPreferred(a)).map(({ pid }) => pid);
}
