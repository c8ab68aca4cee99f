import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figures } from './campaign.ts';
import type { Outcome } from './runner.ts';

const root = join(import.meta.dirname, '..');
const file = join(root, 'docs', 'reliability.md');
const engineNames = { sqlite: 'SQLite', postgres: 'PostgreSQL', both: 'both' };

/** Adds the row of a run to the table at the end of docs/reliability.md. */
export function record(outcome: Outcome, commit: string): void {
  const { campaign, engine, seed, tookMs, figures, findings, isCutShort } = outcome;
  const found = findings.length === 0 ? 'nothing' : `**${findings.length} findings**`;
  const summary = describeFigures(figures) + (isCutShort ? ' (time was up)' : '');
  const cells = [today(), commit, campaign, engineNames[engine], seed, describeTime(tookMs), summary, found];
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, `${text.trimEnd()}\n| ${cells.join(' | ')} |\n`);
}

export function describeFigures(figures: Figures): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? shown(value) : value}`)
    .join(', ');
}

export function describeTime(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 100 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function shown(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 0 });
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** The commit that a run tests, with a plus if there are uncommitted changes. */
export function testedCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  try {
    const changed = git('status', '--porcelain', '--', 'src', 'campaigns', 'package-lock.json') !== '';
    return git('rev-parse', '--short', 'HEAD') + (changed ? '+' : '');
  } catch {
    return 'not in git';
  }
}
