import { readFileSync } from 'node:fs';

/** The memory that a process holds at the moment, in MiB (Linux); none once it has ended. */
export function residentMiB(pid: number): number {
  try {
    const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(match?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

export interface MemoryUse {
  readonly before: number;
  readonly most: number;
}

/** Looks at the memory of a process several times a second, until it is asked for what it has seen, in MiB. */
export function watchMemory(pid: number): { end(): MemoryUse } {
  const before = residentMiB(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMiB(pid));
  }, 50);
  return {
    end: () => {
      clearInterval(timer);
      return { before, most: Math.max(most, residentMiB(pid)) };
    },
  };
}
