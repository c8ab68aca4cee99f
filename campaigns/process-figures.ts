import { readFileSync } from 'node:fs';

/** The memory that a process holds at the moment, in MiB (Linux). */
export function residentMiB(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) / 1024;
}
