import type { LoadResult } from './load.ts';
import type { Target } from './targets.ts';

/** The results of one subject in one workload. */
export interface Measured {
  readonly subject: string;
  readonly work: string;
  readonly medians: LoadResult;
  readonly rounds: readonly LoadResult[];
}

export interface Size {
  readonly title: string;
  readonly agents: number;
  readonly workspaces: number;
  readonly firstAnswerMs: number;
  /** The memory of the largest process, at the end. */
  readonly residentBytes: number;
}

export interface Memory {
  readonly agents: number;
  readonly idleBytes: number;
  readonly connections: number;
  readonly connectedBytes: number;
}

export interface Jobs {
  readonly jobsPerSecond: number;
  /** Requests a second, without jobs. */
  readonly getPeakPerSecond: number;
  /** While jobs are running. */
  readonly get: LoadResult;
}

/** The file in bench/results that the plot is made from. */
export interface Results {
  readonly date: string;
  readonly mode: 'quick' | 'short' | 'full';
  readonly node: string;
  readonly platform: string;
  readonly cores: number;
  readonly rounds: number;
  readonly compared: { readonly agents: number; readonly measured: readonly Measured[] } | null;
  readonly large: { readonly agents: number; readonly measured: readonly Measured[] } | null;
  readonly memory: Memory | null;
  readonly growth: { readonly sizes: readonly Size[]; readonly measured: readonly Measured[] } | null;
  readonly workers: { readonly measured: readonly Measured[] } | null;
  readonly jobs: Jobs | null;
  readonly targets: readonly (Target & { readonly isReached: boolean | null })[];
}
