import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { EndCallback, Queries } from '../database.ts';
import { isBusy, toServiceError } from './errors.ts';
import { queriesOn } from './queries.ts';

/** How long a write waits while another process holds the file lock, before it fails. */
export const maxWaitMs = 5000;
const maxBatchSize = 256;
/** How long a batch works in total, and how long it blocks the rest of the process at a time. */
const limits = { maxBatchMs: 10, maxSliceMs: 10 };
/** With background writes: hundreds of voice calls write at once, and their audio must not wait. */
const backgroundLimits = { maxBatchMs: 20, maxSliceMs: 3 };
/** How often a process that waits for the file lock tries to take it. */
const maxPauseMs = 5;
/**
 * SQLite has no queue for its lock, and between two batches it is free for a moment only: others would wait for seconds.
 * So a process that has written for some time leaves it free for `freeMs`: often if others have written recently, and
 * seldom if it knows of none.
 */
const turns = { besideOthersMs: 50, aloneMs: 500, freeMs: 2 * maxPauseMs, othersForMs: 10_000 };

interface Job {
  readonly work: (queries: Queries) => MaybePromise<unknown>;
  readonly isBackground: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** When to stop waiting for another process that holds the file lock. */
  readonly deadline: number;
}

/**
 * Group commit. Writes that arrive in the same iteration of the event loop run in one transaction, each in its own
 * savepoint, and resolve after the common commit, so that there is one disk sync per batch instead of one per write.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createWriteQueue(connection: DatabaseSync, now: () => number, externalVersion: () => number) {
  let lastSteps: (() => MaybePromise<void>)[] = [];
  const endCallbacks: EndCallback[] = [];
  const queries: Queries = {
    ...queriesOn(connection),
    beforeCommit: (step) => void lastSteps.push(step),
    atEnd: (callback) => void endCallbacks.push(callback),
  };
  const statements = {
    begin: connection.prepare('BEGIN IMMEDIATE'),
    commit: connection.prepare('COMMIT'),
    rollback: connection.prepare('ROLLBACK'),
    beginJob: connection.prepare('SAVEPOINT job'),
    endJob: connection.prepare('RELEASE job'),
    undoJob: connection.prepare('ROLLBACK TO job'),
  };
  let waiting: Job[] = [];
  let running: Promise<void> | undefined;
  /** The average time of a write, including the overhead between batches. */
  let jobMs = 0.2;
  let knownVersion = externalVersion();
  let othersWroteAt = Number.NEGATIVE_INFINITY;

  const enqueue = <T>(work: (queries: Queries) => MaybePromise<T>, { isBackground = false } = {}): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const deadline = now() + maxWaitMs;
      waiting.push({ work, isBackground, resolve: resolve as (value: unknown) => void, reject, deadline });
      running ??= runAll();
    });

  const runAll = async (): Promise<void> => {
    // One iteration later, so that writes that arrive together share a commit.
    await nextIteration();
    let turnStart = performance.now();
    for (let start = turnStart; waiting.length > 0; ) {
      const done = await runBatch(waiting.slice(0, maxBatchSize));
      waiting = waiting.slice(done);
      await nextIteration();
      const turnMs = performance.now() - turnStart;
      if (
        waiting.length > 0 &&
        turnMs > turns.besideOthersMs &&
        turnMs > (othersWrite() ? turns.besideOthersMs : turns.aloneMs)
      ) {
        await delay(turns.freeMs);
        turnStart = performance.now();
      }
      const end = performance.now();
      jobMs += 0.1 * ((end - start) / done - jobMs);
      start = end;
    }
    running = undefined;
  };

  /** Whether other processes have written in the last seconds. */
  const othersWrite = (): boolean => {
    const version = externalVersion();
    if (version !== knownVersion) othersWroteAt = performance.now();
    knownVersion = version;
    return performance.now() - othersWroteAt < turns.othersForMs;
  };

  /** Resolves to how many of the jobs were handled; their promises are settled by then. */
  const runBatch = async (jobs: readonly Job[]): Promise<number> => {
    const settlers: (() => void)[] = [];
    let batch = jobs;
    let started = 0;
    let isCommitted = false;
    try {
      batch = await begin(statements.begin, jobs, now);
      if (batch.length === 0) return jobs.length;
      const { maxBatchMs, maxSliceMs } = batch.some(({ isBackground }) => isBackground) ? backgroundLimits : limits;
      let workedMs = 0;
      for (let sliceStart = performance.now(); started < batch.length; ) {
        const job = batch[started] as Job;
        started += 1;
        settlers.push(await (batch.length === 1 ? runSingle(job) : runJob(job)));
        const sliceMs = performance.now() - sliceStart;
        if (sliceMs < maxSliceMs) continue;
        workedMs += sliceMs;
        if (workedMs >= maxBatchMs) break;
        await nextIteration();
        sliceStart = performance.now();
      }
      statements.commit.run();
      isCommitted = true;
    } catch (error) {
      if (connection.isTransaction) rollBack(statements.rollback);
      // If the transaction could not even begin, all of its jobs fail.
      if (started === 0) started = batch.length;
      for (const job of batch.slice(0, started)) job.reject(toServiceError(error));
      return jobs.length - batch.length + started;
    } finally {
      for (const callback of endCallbacks.splice(0)) callback(isCommitted);
    }
    // Errors also wait for the commit: they may depend on an earlier write of the batch.
    for (const settle of settlers) settle();
    return jobs.length - batch.length + started;
  };

  const work = async (job: Job): Promise<unknown> => {
    lastSteps = [];
    const value = await job.work(queries);
    for (const step of lastSteps) await step();
    return value;
  };

  /** Without other jobs in the batch no savepoint is needed: a failure rolls back the whole transaction. */
  const runSingle = async (job: Job): Promise<() => void> => {
    const value = await work(job);
    return () => job.resolve(value);
  };

  const runJob = async (job: Job): Promise<() => void> => {
    const firstCallback = endCallbacks.length;
    statements.beginJob.run();
    try {
      const value = await work(job);
      statements.endJob.run();
      return () => job.resolve(value);
    } catch (error) {
      // Errors such as a full disk roll back the whole transaction, so the entire batch fails.
      if (!connection.isTransaction) throw error;
      statements.undoJob.run();
      statements.endJob.run();
      for (const callback of endCallbacks.splice(firstCallback)) endCallbacks.push(() => callback(false));
      return () => job.reject(error);
    }
  };

  return {
    enqueue,
    // One or two batches are not overload, even if the last one was slow: another process may have held the file lock.
    expectedWaitMs: () => (waiting.length <= maxBatchSize ? 0 : waiting.length * jobMs),
    drained: async () => {
      await running;
    },
  };
}

/**
 * Takes the write lock without blocking the process while another one holds it. Jobs that time out meanwhile are
 * rejected, each at its own deadline, which includes earlier waits. Resolves to the remaining jobs.
 */
async function begin(beginStatement: StatementSync, jobs: readonly Job[], now: () => number): Promise<readonly Job[]> {
  let batch = jobs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      beginStatement.run();
      return batch;
    } catch (error) {
      if (!isBusy(error)) throw error;
      const current = now();
      for (const job of batch) if (job.deadline <= current) job.reject(toServiceError(error));
      batch = batch.filter(({ deadline }) => deadline > current);
      if (batch.length === 0) return batch;
    }
    await delay(pauseMs);
  }
}

function rollBack(rollback: StatementSync): void {
  try {
    rollback.run();
  } catch {
    // SQLite has already rolled back; the original error is reported.
  }
}
