import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { LoadResult } from './load.ts';
import { plotOf } from './plot.ts';
import { benchFolder } from './processes.ts';
import { isReached, type Target } from './targets.ts';

/** What one contestant did at one work. */
export interface Measured {
  readonly contestant: string;
  readonly work: string;
  readonly medians: LoadResult;
  readonly rounds: readonly LoadResult[];
}

export interface Size {
  readonly title: string;
  readonly agents: number;
  readonly workspaces: number;
  readonly firstAnswerMs: number;
  /** Of the largest process, at the end. */
  readonly residentBytes: number;
}

export interface Memory {
  readonly agents: number;
  readonly idleBytes: number;
  readonly connections: number;
  readonly connectedBytes: number;
}

/** The file in bench/results, from which the plot is made. */
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
  readonly targets: readonly (Target & { readonly isReached: boolean | null })[];
}

export function describeRun(mode: Results['mode'], rounds: number) {
  return {
    date: new Date().toISOString().slice(0, 10),
    mode,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: cpus().length,
    rounds,
  };
}

export function judged(targets: readonly Target[]): Results['targets'] {
  return targets.map((target) => ({ ...target, isReached: isReached(target) }));
}

/** Writes the file and the plot, has the README show it where it is of a full run, and returns where they are. */
export function writeResults(results: Results): string[] {
  const folder = join(benchFolder, 'results');
  mkdirSync(folder, { recursive: true });
  const name = results.mode === 'short' ? `${results.date}-short` : results.date;
  const files = [join(folder, `${name}.json`), join(folder, `${name}.svg`)] as const;
  writeFileSync(files[0], `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(files[1], plotOf(results));
  if (results.mode === 'full') showInReadme(name);
  return [...files];
}

function showInReadme(name: string): void {
  const readme = join(benchFolder, 'README.md');
  const before = readFileSync(readme, 'utf8');
  writeFileSync(readme, before.replaceAll(/results\/\d{4}-\d{2}-\d{2}(-short)?(?=\.(svg|json))/g, `results/${name}`));
}
