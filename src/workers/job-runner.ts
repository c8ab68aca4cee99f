/** Why a job has no result. */
export type Excess = 'time' | 'memory';

/** Performs one job at a time: a thread or a child process. */
export interface JobRunner<Job, Result> {
  /** False once it has ended or is about to. */
  readonly isAlive: boolean;
  /** Rejects with `NotStarted` if it ended before it started the job. */
  perform(job: Job, maxMs: number): Promise<Result | Excess>;
  /** Ends the runner, whatever it does. */
  end(): Promise<void>;
}

/** The runner ended before it started the job, so that another one can perform it. */
export class NotStarted extends Error {
  /** Whether the runner has performed other jobs. If not, the next one is likely to fail in the same way. */
  readonly hadStarted: boolean;

  constructor(message: string, hadStarted: boolean) {
    super(message);
    this.hadStarted = hadStarted;
  }
}

/** The job of a runner until it is settled: by its result, by the end of its runner, or because its time is up. */
export class RunningJob<Result> {
  readonly result: Promise<Result | Excess>;
  readonly #settle: (result: Result | Excess | Error) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    const { promise, resolve, reject } = Promise.withResolvers<Result | Excess>();
    this.result = promise;
    this.#settle = (result) => (result instanceof Error ? reject(result) : resolve(result));
  }

  settle(result: Result | Excess | Error): void {
    clearTimeout(this.#timer);
    this.#settle(result);
  }

  /** Replaces the previous limit. */
  limitTo(ms: number, onExcess: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(onExcess, ms);
  }
}

export const maxStartMs = 20_000;
/** A job should end by itself when its time is up. Its runner is ended only if it does not. */
export const graceMs = 250;
