import { notAccepting, serviceUnavailable } from '../../core/errors.ts';
import { type Excess, type JobRunner, NotStarted } from './job-runner.ts';

export interface PoolLimits {
  /** How many jobs run at once in this process. */
  readonly runners: number;
  /** How many may wait for a runner; those of one workspace may be half of them. */
  readonly waiting: number;
  readonly maxWaitMs: number;
  /** How long a job may take. */
  readonly maxMs: number;
  /** Starting a runner takes longer than most jobs, so that it is kept for a while. */
  readonly idleMs?: number;
}

const defaultIdleMs = 60_000;
/** After a runner that could not start, none is started for this long: the next one is likely to fail, too. */
const failedStartMs = 1000;
/** Of a job whose runner was ended by something else just before it. */
const maxAttempts = 2;

/** Starts a runner, which calls `onExit` once it has ended. */
export type StartRunner<Job, Result> = (onExit: (ended: JobRunner<Job, Result>) => void) => JobRunner<Job, Result>;

interface Waiting<Runner> {
  readonly workspaceId: string;
  readonly start: (runner: Runner) => void;
  readonly refuse: (error: Error) => void;
}

const shuttingDown = () => notAccepting('The service is shutting down.');

/** Threads or child processes for work that would delay requests. They start when they are needed. */
export class Pool<Job, Result> {
  readonly limits: PoolLimits;
  /** In the plural, such as `simulations`. */
  readonly #name: string;
  readonly #startRunner: StartRunner<Job, Result>;
  readonly #runners = new Set<JobRunner<Job, Result>>();
  readonly #idle = new Map<JobRunner<Job, Result>, NodeJS.Timeout>();
  readonly #waiting: Waiting<JobRunner<Job, Result>>[] = [];
  #startsFrom = 0;
  #isClosed = false;

  constructor(name: string, startRunner: StartRunner<Job, Result>, limits: PoolLimits) {
    this.#name = name;
    this.#startRunner = startRunner;
    this.limits = limits;
  }

  async perform(workspaceId: string, job: Job): Promise<Result | Excess> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#isClosed) throw shuttingDown();
      const runner = this.#takeRunner() ?? (await this.#waitForRunner(workspaceId));
      try {
        return await runner.perform(job, this.limits.maxMs);
      } catch (error) {
        if (!(error instanceof NotStarted)) throw error;
        if (!error.hadStarted) throw this.#failedStart(error);
        if (attempt === maxAttempts) throw this.#doNotStart(error);
      } finally {
        this.#release(runner);
      }
    }
  }

  /** Runs after the last request: what still runs has no client any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#refuseWaiting(shuttingDown());
    await Promise.all([...this.#runners].map((runner) => runner.end()));
  }

  #takeRunner(): JobRunner<Job, Result> | undefined {
    const [idle] = this.#idle.keys();
    if (idle !== undefined) {
      clearTimeout(this.#idle.get(idle));
      this.#idle.delete(idle);
      return idle;
    }
    if (this.#runners.size >= this.limits.runners) return undefined;
    if (performance.now() < this.#startsFrom) throw this.#doNotStart();
    try {
      const runner = this.#startRunner((ended) => this.#forget(ended));
      this.#runners.add(runner);
      return runner;
    } catch (error) {
      throw this.#failedStart(error as Error);
    }
  }

  #waitForRunner(workspaceId: string): Promise<JobRunner<Job, Result>> {
    const { waiting, maxWaitMs } = this.limits;
    const own = this.#waiting.filter((entry) => entry.workspaceId === workspaceId).length;
    if (this.#waiting.length >= waiting || own >= Math.ceil(waiting / 2)) throw this.#tooBusy();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(this.#tooBusy());
      }, maxWaitMs);
      const settle =
        <Value>(act: (value: Value) => void) =>
        (value: Value): void => {
          clearTimeout(timer);
          act(value);
        };
      const entry = { workspaceId, start: settle(resolve), refuse: settle(reject) };
      this.#waiting.push(entry);
    });
  }

  #release(runner: JobRunner<Job, Result>): void {
    if (!runner.isAlive) this.#forget(runner);
    else if (!this.#startNext(runner)) {
      const timer = setTimeout(() => {
        this.#forget(runner);
        void runner.end();
      }, this.limits.idleMs ?? defaultIdleMs);
      this.#idle.set(runner, timer.unref());
    }
  }

  #tooBusy(): Error {
    return notAccepting(`Too many ${this.#name} are running.`);
  }

  #doNotStart(cause?: Error): Error {
    return serviceUnavailable(`The process for ${this.#name} does not start.`, cause);
  }

  #failedStart(cause: Error): Error {
    this.#startsFrom = performance.now() + failedStartMs;
    return this.#doNotStart(cause);
  }

  #refuseWaiting(error: Error): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error);
  }

  /** A runner that ended makes room for another one. */
  #forget(runner: JobRunner<Job, Result>): void {
    clearTimeout(this.#idle.get(runner));
    this.#idle.delete(runner);
    if (!this.#runners.delete(runner) || this.#waiting.length === 0 || this.#isClosed) return;
    try {
      const next = this.#takeRunner();
      if (next !== undefined) this.#startNext(next);
    } catch (error) {
      this.#refuseWaiting(error as Error);
    }
  }

  #startNext(runner: JobRunner<Job, Result>): boolean {
    const next = this.#waiting.shift();
    next?.start(runner);
    return next !== undefined;
  }
}
