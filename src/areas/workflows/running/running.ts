import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { FairQueue } from '../../../core/fair-queue.ts';
import { DueSources } from '../../../jobs/due-sources.ts';
import { type Run, Runner, type RunnerSettings, type SourceClaim } from '../../../jobs/runner.ts';
import type { Source } from '../../../jobs/source-slots.ts';
import type { Database } from '../../../storage/database.ts';
import type { DueRun, RunStore } from '../runs/store.ts';
import type { WorkflowStore } from '../store.ts';
import type { createAdvancing } from './advancing.ts';
import type { Received } from './execution.ts';
import { type SendingParts, sendRequest } from './sending.ts';

export interface RunningSettings extends RunnerSettings {
  /** The delays after the first failed attempt, the second, and so on. */
  readonly retryDelaysMs: readonly number[];
}

export interface RunningParts {
  readonly database: Database;
  readonly workflows: WorkflowStore;
  readonly store: RunStore;
  readonly advance: ReturnType<typeof createAdvancing>;
  readonly sending: SendingParts;
  readonly logger: Logger;
  readonly mayClaim: () => boolean;
  readonly settings: RunningSettings;
}

/**
 * How many runs of a process write to the database at once. A hundred can be in progress, and a message of a chat would
 * wait for as many transactions: its p99 was 17 times as long on SQLite, and 42 times on PostgreSQL. With two, it was
 * still 2.4 and 3 times as long; with one 1.4 and 1.8 times, for a sixth to a quarter fewer runs a second.
 */
const maxTransactions = 1;

/** Takes the steps of runs that are due. */
export function createRunning(parts: RunningParts): Runner<DueRun> {
  const { database, store, logger, mayClaim, settings } = parts;
  const transactions = new FairQueue({
    slots: { total: maxTransactions, perGroup: maxTransactions },
    // As many as are in progress, which is limited.
    waiting: settings.inFlight.total,
    waitingPerWorkspace: settings.inFlight.total,
  });
  const advance: typeof parts.advance = async (owner, workflow, run, received) => {
    const release = await transactions.acquire(workflow.workspaceId);
    try {
      return await parts.advance(owner, workflow, run, received);
    } finally {
      release();
    }
  };
  const { leases } = store;
  const runner: Runner<DueRun> = new Runner<DueRun>({
    database,
    leases,
    due: new DueSources(database, leases, 'workflow_id'),
    claim: (workflow, claim) => claimDue(parts, workflow, claim),
    run: (run) => perform({ ...parts, advance }, runner.owner, run),
    logger,
    mayClaim,
    settings,
  });
  return runner;
}

function claimDue(
  { database, workflows, store, settings }: RunningParts,
  workflow: Source,
  claim: SourceClaim,
): Promise<'busy' | readonly DueRun[]> {
  return database.transaction(async (queries) => {
    // The lock of the workflow excludes claims of other processes, so that the limit is for all of them.
    const locked = await workflows.lockIfFree(queries, workflow.workspaceId, workflow.id);
    if (locked === 'busy') return 'busy';
    // A job cancels what it has left.
    if (locked === 'missing') return [];
    const limit = Math.min(settings.inFlight.perSource - (await store.inFlight(queries, workflow.id)), claim.limit);
    return limit <= 0 ? [] : store.claim(queries, workflow, { ...claim, limit });
  });
}

/** One transaction after the other, with a request in between, until the run waits or ends. */
async function perform(parts: RunningParts, owner: string, run: Run<DueRun>): Promise<string | null> {
  const { source, work, signal } = run;
  let outcome = 'succeeded';
  try {
    for (let received: Received | null = null; ; ) {
      const advance = await advanced(parts, owner, run, received);
      if (advance.kind === 'lost') return 'lost';
      if (advance.kind !== 'request') return outcome;
      const { step, request, attempt } = advance;
      const result = await sendRequest(parts.sending, source.workspaceId, { ...step, request }, signal);
      if (result === null) return null;
      received = { stepId: step.id, attempt, result };
      outcome = result.kind === 'attempt' ? result.attempt.outcome : result.error.code;
    }
  } catch (error) {
    // The lease ends, and the run goes on from what is stored.
    const { name, message } = error as Error;
    parts.logger.warn({ runId: work.id, err: { type: name, message } }, 'a workflow run could not continue');
    return 'lost';
  }
}

/** With a result, tries again for as long as the lease may last: otherwise the receiver gets the request twice. */
async function advanced(
  { advance, settings }: RunningParts,
  owner: string,
  { source, work, isStopping }: Run<DueRun>,
  received: Received | null,
): ReturnType<RunningParts['advance']> {
  const startMs = performance.now();
  for (let pauseMs = 100; ; pauseMs *= 2) {
    try {
      return await advance(owner, source, work, received);
    } catch (error) {
      const isOver = performance.now() - startMs + pauseMs > settings.leaseMs;
      if (received === null || isStopping() || isOver) throw error;
      await delay(pauseMs, undefined, { ref: false });
    }
  }
}
