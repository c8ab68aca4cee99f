import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Results } from './figures.ts';
import { plotOf } from './plot.ts';
import { benchFolder } from './processes.ts';
import { isReached, type Target } from './targets.ts';

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

/** Writes the file and the plot, updates the README after a full run, and returns their paths. */
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
