import type { Queries } from '../storage/database.ts';
import { type Recurrence, recurrenceIssue } from './recurrence.ts';

/** A job as passed to its handler. */
export interface Job<Payload = unknown> {
  readonly id: string;
  readonly kind: string;
  readonly workspaceId: string | null;
  readonly payload: Payload;
  /** Starts at 1. Attempts of crashed processes count. */
  readonly attempt: number;
  readonly maxAttempts: number;
}

export interface JobContext {
  /**
   * Aborted at the timeout, when the lease is lost and when the service stops. The handler must settle soon after: until
   * then, the worker keeps the job.
   */
  readonly signal: AbortSignal;
  /**
   * Ends the job in a transaction of the handler, so that its result and its end are one. Resolves to false if the lease
   * was lost or the job was removed: the result must then not be written.
   */
  complete(queries: Queries): Promise<boolean>;
}

/**
 * A kind of job. A job may run more than once, but never concurrently: after a failure, and after a crash before its
 * outcome was recorded. Handlers must therefore be idempotent.
 */
export interface JobKind<Payload = unknown> {
  /** Stored with every job, so it must not change while jobs exist. */
  readonly name: string;
  readonly maxAttempts: number;
  /** The delays before the second attempt, the third, and so on; the last one repeats. Each with ±10 % jitter. */
  readonly retryDelaysMs: readonly number[];
  /** For one attempt. */
  readonly timeoutMs: number;
  /** The maximum of concurrent runs in one process. */
  readonly concurrency: number;
  /**
   * The maximum of those for one workspace, which also leaves free slots for others (`leavesRoom` of `SlotLimits`). Without
   * it, one workspace can use all of them: for kinds whose runs are short, and of no workspace.
   */
  readonly concurrencyPerWorkspace?: number;
  /**
   * Its jobs do not finish: after a run, a job waits for the next of these times, whether the run has succeeded or used up
   * its attempts. One instance runs it. Times that have passed meanwhile, also those of a downtime, are one run.
   */
  readonly recurrence?: Recurrence;
  /**
   * For a recurrence: its jobs are added and removed by their area, such as one for each alert. Without it, the service has
   * one job of the kind from its first start on, with the payload null.
   */
  readonly isAdded?: boolean;
  /**
   * The payload carries content: it is stored sealed, and removed when the job is finished. Of its errors only the name is
   * stored, because a message may quote the payload.
   */
  readonly isSealed?: boolean;
  /**
   * Its jobs need something that only this process has, such as a file: it claims them also while the service is shutting
   * down, until the worker stops, because nobody else can.
   */
  readonly isLocal?: true;
  run(job: Job<Payload>, context: JobContext): Promise<void>;
}

const maxNameLength = 100;

/** Rejects invalid kinds at startup instead of at the first job. */
export function checkKinds(kinds: readonly JobKind[]): void {
  const names = new Set<string>();
  for (const kind of kinds) {
    const { name, maxAttempts, retryDelaysMs, timeoutMs, concurrency, concurrencyPerWorkspace = 1 } = kind;
    const refuse = (issue: string): never => {
      throw new RangeError(`The job kind "${name}" ${issue}.`);
    };
    if (name === '' || name.length > maxNameLength) refuse(`must have a name of 1 to ${maxNameLength} characters`);
    if (names.has(name)) refuse('is declared twice');
    if (!isCount(maxAttempts)) refuse('needs a whole number of at least 1 for maxAttempts');
    if (!isCount(concurrency)) refuse('needs a whole number of at least 1 for concurrency');
    if (!isCount(concurrencyPerWorkspace)) refuse('needs a whole number of at least 1 for concurrencyPerWorkspace');
    if (!isDelay(timeoutMs) || timeoutMs === 0) refuse('needs a timeoutMs above 0');
    if (!retryDelaysMs.every(isDelay)) refuse('needs retryDelaysMs of 0 or more');
    if (maxAttempts > 1 && retryDelaysMs.length === 0) refuse('has several attempts, and no delay between them');
    const issue = kind.recurrence === undefined ? null : recurrenceIssue(kind.recurrence);
    if (issue !== null) refuse(issue);
    names.add(name);
  }
}

/** The maximum of `setTimeout`. */
const maxTimerMs = 2 ** 31 - 1;

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function isDelay(value: number): boolean {
  return value >= 0 && value <= maxTimerMs;
}

/** The delay after a failed attempt. */
export function retryDelayMs({ retryDelaysMs }: JobKind, failedAttempt: number, random: () => number): number {
  const delayMs = retryDelaysMs[Math.min(failedAttempt, retryDelaysMs.length) - 1] ?? 0;
  return Math.round(delayMs * (0.9 + 0.2 * random()));
}
