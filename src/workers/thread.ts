import { type ResourceLimits, Worker } from 'node:worker_threads';
import { notAccepting, serviceUnavailable } from '../core/errors.ts';
import { type Excess, graceMs, type JobRunner, maxStartMs, RunningJob } from './job-runner.ts';

/** What a thread runs. Its file takes jobs as messages, and replies `started` and then the result of each. */
export interface ThreadProgram {
  readonly file: URL;
  /** In the plural, such as `searches`. */
  readonly name: string;
  readonly workerData?: unknown;
  readonly resourceLimits: ResourceLimits;
}

/**
 * One thread, which performs one job at a time. `resourceLimits` end a thread whose heap grows step by step; a single
 * large allocation ends the whole process. So a job of a thread must be unable to allocate much: others need a child.
 */
export class Thread<Job, Result> implements JobRunner<Job, Result> {
  readonly #worker: Worker;
  readonly #name: string;
  isAlive = true;
  #job: RunningJob<Result> | null = null;

  constructor({ file, ...options }: ThreadProgram, onExit: (thread: Thread<Job, Result>) => void) {
    this.#name = options.name;
    // None of the flags of the process.
    this.#worker = new Worker(file, { ...options, execArgv: [] });
    // An idle thread must not keep the process alive.
    this.#worker.unref();
    this.#worker.on('message', (message: 'started' | Result) => {
      if (message === 'started') this.#endAfter(graceMs + this.#maxMs, 'time');
      else this.#settle(message);
    });
    this.#worker.on('error', (error: Error & { code?: string }) => {
      this.#end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : error);
    });
    this.#worker.on('exit', () => {
      this.#end(new Error('the thread has ended'));
      onExit(this);
    });
  }

  #maxMs = 0;

  perform(job: Job, maxMs: number): Promise<Result | Excess> {
    this.#maxMs = maxMs;
    this.#job = new RunningJob();
    this.#endAfter(maxStartMs, serviceUnavailable(`The thread for ${this.#name} takes too long to start.`));
    this.#worker.postMessage(job);
    return this.#job.result;
  }

  async end(): Promise<void> {
    this.#end(notAccepting('The service is shutting down.'));
    await this.#worker.terminate();
  }

  #endAfter(ms: number, result: Excess | Error): void {
    this.#job?.limitTo(ms, () => this.#end(result));
  }

  #settle(result: Result | Excess | Error): void {
    this.#job?.settle(result);
    this.#job = null;
  }

  #end(result: Excess | Error): void {
    this.isAlive = false;
    this.#settle(result);
    void this.#worker.terminate();
  }
}
