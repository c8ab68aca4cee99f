import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresEngine, createSqliteEngine } from '../test/support/engines.ts';
import { AbortedRun, type Campaign, type EngineName, type Figures, type Run } from './campaign.ts';
import { Random } from './random.ts';

export type Size = 'full' | 'small';

export interface RunOptions {
  readonly engine: EngineName | 'both';
  readonly size: Size;
  readonly seed: number;
  readonly maxMs: number;
  readonly showProgress: (text: string) => void;
}

export interface Outcome {
  readonly campaign: string;
  readonly engine: EngineName | 'both';
  readonly seed: number;
  readonly tookMs: number;
  readonly figures: Figures;
  /** Distinct findings, with their counts. */
  readonly findings: readonly string[];
  /** The time was up before the amounts were reached. */
  readonly isCutShort: boolean;
}

/** Runs one campaign on one engine and cleans up. PostgreSQL must already be running (TEST_POSTGRES_URL). */
export async function runCampaign(campaign: Campaign, options: RunOptions): Promise<Outcome> {
  const { engine, size, seed, maxMs, showProgress } = options;
  const engines = { sqlite: createSqliteEngine(), postgres: createPostgresEngine() };
  const folder = mkdtempSync(join(tmpdir(), `voice-agents-${campaign.name}-`));
  const endings: (() => Promise<unknown> | unknown)[] = [];
  const findings = new Map<string, number>();
  const start = performance.now();
  let isCutShort = false;
  const first: EngineName = engine === 'both' ? 'sqlite' : engine;
  const { full, fullOnPostgres, small } = campaign.amounts;
  const amount = size === 'small' ? small : first === 'postgres' ? (fullOnPostgres ?? full) : full;
  const found = (what: string) => void findings.set(what, (findings.get(what) ?? 0) + 1);
  const run: Run = {
    engine: first,
    amount,
    seed,
    random: new Random(seed),
    folder,
    newDatabaseUrl: (which = first) => engines[which].newDatabaseUrl(),
    isOver: () => {
      if (performance.now() - start > maxMs) isCutShort = true;
      return isCutShort;
    },
    found,
    showProgress,
    atEnd: (callback) => void endings.push(callback),
  };
  let figures: Figures = {};
  try {
    figures = await campaign.run(run);
  } catch (error) {
    found(error instanceof AbortedRun ? error.message : `the campaign itself failed: ${(error as Error).stack}`);
  }
  for (const end of [
    ...endings.reverse(),
    engines.sqlite.remove,
    engines.postgres.remove,
    () => rmSync(folder, { recursive: true, force: true }),
  ]) {
    try {
      await end();
    } catch (error) {
      found(`could not clear up: ${(error as Error).message}`);
    }
  }
  return {
    campaign: campaign.name,
    engine,
    seed,
    tookMs: performance.now() - start,
    figures,
    findings: [...findings].map(([what, times]) => (times === 1 ? what : `${what} (${times} times)`)),
    isCutShort,
  };
}
