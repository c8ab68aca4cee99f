import { notAccepting, serviceUnavailable } from '../core/errors.ts';
import { FairQueue, QueueFullError } from '../core/fair-queue.ts';
import { type Excess, type JobRunner, NotStarted } from './job-runner.ts';

export interface PoolLimits {
  /** How many jobs run at once in this process, and how many of one workspace. */
  readonly runners: number;
  readonly runnersPerWorkspace: number;
  /** How many may wait for a runner; those of one workspace may be half of them. */
  readonly waiting: number;
  readonly maxWaitMs: number;
  /** How long a job may take. */
  readonly maxMs: number;
  /** How long a runner is kept without a job: starting one takes longer than most jobs. */
  readonly idleMs: number;
}

/** After a runner that could not start, none is started for this long: the next one is likely to fail, too. */
const failedStartMs = 1000;
/** A runner may have been ended by something else just before it got the job. */
const maxAttempts = 2;

/** Starts a runner, which calls `onExit` once it has ended. */
export type StartRunner<Job, Result> = (onExit: (ended: JobRunner<Job, Result>) => void) => JobRunner<Job, Result>;

const shuttingDown = () => notAccepting('The service is shutting down.');

/** Threads or child processes for work that would delay requests. They start when they are needed. */
export class Pool<Job, Result> {
  readonly limits: PoolLimits;
  /** In the plural, such as `simulations`. */
  readonly #name: string;
  readonly #startRunner: StartRunner<Job, Result>;
  readonly #queue: FairQueue;
  readonly #runners = new Set<JobRunner<Job, Result>>();
  readonly #idle = new Map<JobRunner<Job, Result>, NodeJS.Timeout>();
  #startsFrom = 0;
  #isClosed = false;

  constructor(name: string, startRunner: StartRunner<Job, Result>, limits: PoolLimits) {
    const { runners, runnersPerWorkspace, waiting } = limits;
    this.#name = name;
    this.#startRunner = startRunner;
    this.limits = limits;
    this.#queue = new FairQueue({
      slots: { total: runners, perGroup: Math.min(runnersPerWorkspace, runners) },
      waiting,
      waitingPerWorkspace: Math.ceil(waiting / 2),
    });
  }

  /** Rejects with the reason of the signal once it is aborted. A runner that has the job then ends with it. */
  async perform(workspaceId: string, job: Job, signal?: AbortSignal): Promise<Result | Excess> {
    const release = await this.#waitForSlot(workspaceId, signal);
    try {
      return await this.#performInSlot(job, signal);
    } finally {
      release();
    }
  }

  /** Runs after the last request: what still runs has no client any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#queue.close(shuttingDown());
    for (const timer of this.#idle.values()) clearTimeout(timer);
    await Promise.all([...this.#runners].map((runner) => runner.end()));
  }

  async #waitForSlot(workspaceId: string, signal?: AbortSignal): Promise<() => void> {
    const patience = AbortSignal.timeout(this.limits.maxWaitMs);
    try {
      return await this.#queue.acquire(workspaceId, signal ? AbortSignal.any([patience, signal]) : patience);
    } catch (error) {
      if (error !== patience.reason && !(error instanceof QueueFullError)) throw error;
      throw notAccepting(`Too many ${this.#name} are running.`);
    }
  }

  async #performInSlot(job: Job, signal?: AbortSignal): Promise<Result | Excess> {
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      const runner = this.#takeRunner();
      const onAbort = () => void runner.end();
      signal?.addEventListener('abort', onAbort);
      try {
        return await runner.perform(job, this.limits.maxMs);
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof NotStarted)) throw error;
        if (!error.hadStarted || attempt === maxAttempts) throw this.#failedStart(error);
      } finally {
        signal?.removeEventListener('abort', onAbort);
        if (runner.isAlive) this.#keep(runner);
        else this.#runners.delete(runner);
      }
    }
  }

  #takeRunner(): JobRunner<Job, Result> {
    // The last one that was used, so that those that are not needed end.
    const idle = [...this.#idle.keys()].at(-1);
    if (idle !== undefined) {
      clearTimeout(this.#idle.get(idle));
      this.#idle.delete(idle);
      return idle;
    }
    if (this.#isClosed) throw shuttingDown();
    if (performance.now() < this.#startsFrom) throw this.#notStarting();
    try {
      const runner = this.#startRunner((ended) => this.#forget(ended));
      this.#runners.add(runner);
      return runner;
    } catch (error) {
      throw this.#failedStart(error as Error);
    }
  }

  #keep(runner: JobRunner<Job, Result>): void {
    const timer = setTimeout(() => {
      this.#forget(runner);
      void runner.end();
    }, this.limits.idleMs);
    this.#idle.set(runner, timer.unref());
  }

  #forget(runner: JobRunner<Job, Result>): void {
    clearTimeout(this.#idle.get(runner));
    this.#idle.delete(runner);
    this.#runners.delete(runner);
  }

  #failedStart(cause: Error): Error {
    this.#startsFrom = performance.now() + failedStartMs;
    return this.#notStarting(cause);
  }

  #notStarting(cause?: Error): Error {
    return serviceUnavailable(`The process for ${this.#name} does not start.`, cause);
  }
}
