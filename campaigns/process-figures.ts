import { readFileSync } from 'node:fs';

/** The resident memory of a process in MiB (Linux); 0 once it has exited. */
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

/** Samples the memory of a process several times per second until `end` is called, in MiB. */
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
