import { maxErrorLength } from '../../src/jobs/error-text.ts';
import type { StoredJob } from '../../test/support/stored-job.ts';
import { expectations, leaseMs, longKind, pollMs } from './kinds.ts';
import type { Entry } from './ledger.ts';

/** What was done to a worker process. */
export interface Attack {
  readonly how: 'kill' | 'stop' | 'pause';
  readonly pid: number;
  /** When the signal was sent, and when its effect was over. */
  readonly fromMs: number;
  readonly toMs: number;
}

interface Run {
  readonly attempt: number;
  readonly pid: number;
  readonly startMs: number;
  readonly endMs: number | null;
}

export interface CheckOptions {
  readonly attacks: readonly Attack[];
  /** In addition to the lease and the poll interval, for a busy machine. */
  readonly slackMs: number;
  readonly found: (what: string) => void;
}

/** Compares a stored job with the ledgers of the processes. Returns how late jobs of lost processes were taken over. */
export function checkJob(stored: StoredJob, entries: readonly Entry[], options: CheckOptions): number[] {
  const { found } = options;
  const expected = expectations.find(({ kind }) => kind.name === stored.kind);
  if (expected === undefined) throw new Error(`a job of the kind ${stored.kind}`);
  const { kind } = expected;
  const finals = entries.filter((entry) => /^(succeeded|failed)$/.test(entry.outcome ?? ''));
  const runs = runsOf(entries);

  if (stored.state !== expected.state) found(`a job that ${kind.name} is ${stored.state}`);
  if (entries.some(({ outcome, attempt }) => outcome === 'retried' && attempt >= kind.maxAttempts))
    found(`a job that ${kind.name} was to be tried again after its last attempt`);
  if (stored.attempt > kind.maxAttempts) found(`a job that ${kind.name} has more attempts than allowed`);
  if (expected.state === 'failed') {
    const isLost = /was lost during attempt/.test(stored.lastError ?? '');
    if (stored.attempt !== kind.maxAttempts) found(`a job that ${kind.name} gave up before its last attempt`);
    if (!isLost && !expected.lastError?.test(stored.lastError ?? ''))
      found(`a job that ${kind.name} has the last error ${stored.lastError?.slice(0, 80)}`);
    if ((stored.lastError?.length ?? 0) > maxErrorLength) found('errors are stored without a length limit');
    if (runs.length > kind.maxAttempts + countHits(runs, options)) found(`a job that ${kind.name} ran too often`);
  } else if (stored.lastError !== null) found(`a job that ${kind.name} succeeded and has an error`);
  // An attempt is counted at the claim, and a process may be lost before the start.
  if (runs.length === 0 && !/was lost during attempt/.test(stored.lastError ?? ''))
    found(`a job that ${kind.name} has ended without a run`);

  // A process may be killed between the commit and its line in the ledger, so there may be none.
  if (finals.length > 1) found(`a job that ${kind.name} ended ${finals.length} times`);
  const [final] = finals;
  if (final !== undefined && runs.some(({ attempt, startMs }) => attempt > final.attempt && startMs < final.ms))
    found(`a job that ${kind.name} was ended by a run that had lost it`);
  if (final !== undefined && runs.some((run) => run.startMs > final.ms && !isResumed(run, options)))
    found('a job ran again after its end');
  return checkRuns(kind.name, runs, entries, options);
}

function runsOf(entries: readonly Entry[]): Run[] {
  const runs = entries
    .filter(({ what }) => what === 'start')
    .map(({ attempt, pid, ms }): Run => {
      const end = entries.find(
        (entry) => entry.what === 'end' && entry.pid === pid && entry.attempt === attempt && entry.ms >= ms,
      );
      return { attempt, pid, startMs: ms, endMs: end?.ms ?? null };
    });
  return runs.sort((a, b) => a.startMs - b.startMs);
}

/**
 * The process was paused between its last check of the lease and the start of the run: nothing inside the process can
 * prevent that run. Its outcome is ignored, which the number of final outcomes shows.
 */
function isResumed({ pid, startMs }: Run, { attacks, slackMs }: CheckOptions): boolean {
  return attacks.some(
    (attack) =>
      attack.how === 'pause' && attack.pid === pid && startMs > attack.fromMs && startMs < attack.toMs + slackMs / 4,
  );
}

/** Released runs do not count as attempts. */
function countHits(runs: readonly Run[], { attacks }: CheckOptions): number {
  return runs.filter(({ pid }) => attacks.some((attack) => attack.how === 'stop' && attack.pid === pid)).length;
}

function checkRuns(
  kind: string,
  runs: readonly Run[],
  entries: readonly Entry[],
  { attacks, slackMs, found }: CheckOptions,
): number[] {
  const outcomes = entries.filter(({ what }) => what === 'outcome');
  const latenesses: number[] = [];
  for (const [index, run] of runs.entries()) {
    const next = runs[index + 1];
    const hit = attacks.find(
      ({ pid, fromMs, toMs }) => pid === run.pid && run.startMs < toMs && (run.endMs === null || run.endMs > fromMs),
    );
    // A paused process cannot respect its lease: the run counts until then, and must end soon after.
    if (
      hit?.how === 'pause' &&
      run.endMs !== null &&
      run.endMs > hit.toMs + leaseMs * 2 + slackMs &&
      next !== undefined &&
      next.startMs < run.endMs
    )
      found(`a job that ${kind} went on after its process had lost it`);
    if (next === undefined) continue;
    const endMs = hit === undefined ? run.endMs : Math.min(run.endMs ?? Number.POSITIVE_INFINITY, hit.fromMs);
    if (endMs === null) found(`a job that ${kind} has a run without an end in a process that nothing was done to`);
    else if (next.startMs < endMs)
      found(`a job that ${kind} ran twice concurrently, for ${describeMs(endMs - next.startMs)}`);
    if (hit?.how === 'kill' && run.endMs === null) {
      const lateMs = next.startMs - hit.toMs - leaseMs - pollMs;
      latenesses.push(lateMs);
      if (lateMs > slackMs) found(`a job of a killed process was taken over more than ${slackMs} ms late`);
    }
    const ending = outcomes.find(({ pid, attempt }) => pid === run.pid && attempt === run.attempt)?.outcome;
    if (hit?.how === 'stop' && kind === longKind && (ending === 'retried' || ending === 'failed'))
      found('a shutdown used up an attempt of a job');
    if (hit?.how === 'stop' && ending === 'released') {
      // Released: no worker has to wait for the end of the lease.
      const lateMs = next.startMs - hit.toMs - pollMs;
      if (lateMs > slackMs / 2) found(`a job of a stopped process was taken over ${Math.round(lateMs)} ms late`);
      if (next.attempt !== run.attempt) found('a job was released without its attempt');
    }
  }
  return latenesses;
}

/** Rounded, so that findings of the same kind are counted together. */
function describeMs(ms: number): string {
  const step = [1, 10, 100, 1000].find((most) => ms <= most);
  return step === undefined ? 'more than 1,000 ms' : `up to ${step.toLocaleString('en')} ms`;
}
