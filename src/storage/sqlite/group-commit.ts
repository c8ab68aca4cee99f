import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { Eventually } from '../../core/eventually.ts';
import type { Queries } from '../database.ts';
import { isBusy, toServiceError } from './errors.ts';
import { queriesOn } from './queries.ts';

/** How long a write waits for another process that holds the file, before its caller is told to come back. */
export const maxWaitMs = 5000;
/** Writers share a commit up to this number, and for so long; more would keep everybody else of this process waiting. */
const largestBatch = 256;
const maxBatchMs = 10;

interface Job {
  readonly work: (queries: Queries) => Eventually<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Until then it waits for another process that holds the file. */
  readonly deadline: number;
}

/**
 * Group commit. Writes that arrive in the same turn of the event loop run one after the other in one transaction, each
 * in a savepoint of its own, and are answered after the one commit: the disk is waited for once instead of once each.
 */
export function createWriteQueue(connection: DatabaseSync, now: () => number) {
  const endings: (() => void)[] = [];
  const queries = { ...queriesOn(connection), atEnd: (callback: () => void) => void endings.push(callback) };
  const words = {
    begin: connection.prepare('BEGIN IMMEDIATE'),
    commit: connection.prepare('COMMIT'),
    rollback: connection.prepare('ROLLBACK'),
    beginJob: connection.prepare('SAVEPOINT job'),
    endJob: connection.prepare('RELEASE job'),
    undoJob: connection.prepare('ROLLBACK TO job'),
  };
  let waiting: Job[] = [];
  let running: Promise<void> | undefined;
  /** How long one write takes, on average, with all that is done between one batch and the next. */
  let jobMs = 0.2;

  const enqueue = <T>(work: (queries: Queries) => Eventually<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const deadline = now() + maxWaitMs;
      waiting.push({ work, resolve: resolve as (value: unknown) => void, reject, deadline });
      running ??= runAll();
    });

  const runAll = async (): Promise<void> => {
    // One turn later, so that what arrives with this write goes with it.
    await nextTurn();
    for (let start = performance.now(); waiting.length > 0; ) {
      const done = await runBatch(waiting.slice(0, largestBatch));
      waiting = waiting.slice(done);
      await nextTurn();
      const end = performance.now();
      jobMs += 0.1 * ((end - start) / done - jobMs);
      start = end;
    }
    running = undefined;
  };

  /** Resolves to how many of the jobs it has come to; their callers know by then how it went. */
  const runBatch = async (gathered: readonly Job[]): Promise<number> => {
    const answers: (() => void)[] = [];
    let batch = gathered;
    let begun = 0;
    try {
      batch = await begin(words.begin, gathered, now);
      if (batch.length === 0) return gathered.length;
      const start = performance.now();
      for (const job of batch) {
        begun += 1;
        answers.push(await (batch.length === 1 ? runAlone(job) : runJob(job)));
        if (performance.now() - start > maxBatchMs) break;
      }
      words.commit.run();
    } catch (error) {
      if (connection.isTransaction) rollBack(words.rollback);
      // Where not even the transaction could begin, that is so for all who wait for it.
      if (begun === 0) begun = batch.length;
      for (const job of batch.slice(0, begun)) job.reject(toServiceError(error));
      return gathered.length - batch.length + begun;
    } finally {
      for (const callback of endings.splice(0)) callback();
    }
    // Also a refusal waits for the commit: it may rest on what an earlier write of the batch did.
    for (const answer of answers) answer();
    return gathered.length - batch.length + begun;
  };

  /** With nobody beside it, a job that fails takes the whole transaction with it. */
  const runAlone = async (job: Job): Promise<() => void> => {
    const value = await job.work(queries);
    return () => job.resolve(value);
  };

  const runJob = async (job: Job): Promise<() => void> => {
    words.beginJob.run();
    try {
      const value = await job.work(queries);
      words.endJob.run();
      return () => job.resolve(value);
    } catch (error) {
      // A full disk and the like end the whole transaction by themselves: then nothing of the batch stands.
      if (!connection.isTransaction) throw error;
      words.undoJob.run();
      words.endJob.run();
      return () => job.reject(error);
    }
  };

  return {
    enqueue,
    // What fits a batch or two is no overload, however long the last one took: another process may have held the file.
    expectedWaitMs: () => (waiting.length <= largestBatch ? 0 : waiting.length * jobMs),
    drained: async () => {
      await running;
    },
  };
}

/**
 * Takes the write lock without blocking the process while another one has it. Whose time is up meanwhile is told so, each
 * at its own: also those who had to wait for others before. Resolves to who is left.
 */
async function begin(beginning: StatementSync, gathered: readonly Job[], now: () => number): Promise<readonly Job[]> {
  let batch = gathered;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
    try {
      beginning.run();
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
    // SQLite has rolled back by itself; the issue that led here is the one that is told.
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
