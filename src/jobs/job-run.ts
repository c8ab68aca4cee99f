import type { Queries } from '../storage/database.ts';
import { errorName } from './error-text.ts';
import { type JobKind, retryDelayMs } from './kind.ts';
import type { ClaimedJob, JobQueue, Outcome } from './queue.ts';

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export class JobTimeoutError extends Error {
  override readonly name = 'JobTimeoutError';
}

/** One attempt of a job. It belongs to its worker until the handler has settled. */
export class JobRun {
  readonly job: ClaimedJob;
  readonly kind: JobKind;
  readonly #controller = new AbortController();
  /** `settled`: the handler has ended, but its outcome is not committed yet. `lost`: its outcome is ignored. */
  phase: 'running' | 'settled' | 'lost' = 'running';
  isStopped = false;
  /** The handler has ended the job in a transaction of its own. */
  isCompleted = false;
  #timeoutError: JobTimeoutError | null = null;
  #thrown: { readonly error: unknown } | null = null;

  constructor(job: ClaimedJob, kind: JobKind) {
    this.job = job;
    this.kind = kind;
  }

  /** Runs the handler. Never rejects. */
  async perform(queue: JobQueue, owner: string): Promise<void> {
    const { id, attempt, workspace_id: workspaceId, max_attempts: maxAttempts } = this.job;
    const { name: kind, timeoutMs } = this.kind;
    // Its process crashed in every attempt, perhaps because of the job.
    if (attempt > maxAttempts) {
      const error = new LeaseLostError(`The worker was lost during attempt ${maxAttempts}, the last one.`);
      this.#thrown = { error };
      return;
    }
    const timer = setTimeout(() => {
      this.#timeoutError = new JobTimeoutError(`The attempt took longer than ${timeoutMs} ms.`);
      this.#controller.abort(this.#timeoutError);
    }, timeoutMs).unref();
    try {
      const payload = queue.payloadOf(this.job);
      const complete = async (queries: Queries): Promise<boolean> => {
        this.isCompleted =
          this.phase === 'running' && (await queue.complete(queries, owner, id, queue.nextAt(this.kind, this.job)));
        return this.isCompleted;
      };
      const job = { id, kind, workspaceId, payload, attempt, maxAttempts };
      await this.kind.run(job, { signal: this.#controller.signal, complete });
    } catch (error) {
      this.isCompleted = false;
      this.#thrown = { error };
    }
    clearTimeout(timer);
  }

  /** The service is stopping, and another process continues the job. */
  stop(): void {
    this.isStopped = true;
    this.#controller.abort(new Error('the service is stopping'));
  }

  leaseLost(): void {
    this.phase = 'lost';
    this.#controller.abort(new LeaseLostError('The lease was lost: another worker may have the job.'));
  }

  /** After `perform`. */
  outcome(queue: JobQueue, random: () => number): Outcome {
    const { id: jobId, attempt, max_attempts: maxAttempts } = this.job;
    const thrown = this.#thrown;
    const timeoutError = this.#timeoutError;
    if (thrown !== null && this.isStopped && timeoutError === null) return { jobId, as: 'released', delayMs: 0 };
    const nextAt = queue.nextAt(this.kind, this.job);
    if (thrown === null && timeoutError === null) return { jobId, as: 'succeeded', nextAt };
    // A handler that returns after its timeout may not have done all of its work.
    const cause: unknown = timeoutError ?? thrown?.error;
    const error = this.kind.isSealed === true ? errorName(cause) : cause;
    if (attempt < maxAttempts) {
      return { jobId, as: 'retried', error, attempt, delayMs: retryDelayMs(this.kind, attempt, random) };
    }
    return { jobId, as: 'failed', error, attempt: maxAttempts, nextAt };
  }
}
