import { type ResourceLimits, Worker } from 'node:worker_threads';
import { notAccepting, serviceUnavailable } from '../../core/errors.ts';

const maxStartMs = 20_000;
/** A job should end by itself when its time is up. The thread is ended only if it does not. */
const graceMs = 250;

/** What a thread runs. Its file takes jobs as messages, and replies `started` and then the result of each. */
export interface ThreadProgram {
  readonly file: URL;
  /** In the plural, such as `simulations`. */
  readonly name: string;
  readonly workerData?: unknown;
  /** Undefined: the environment of the process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly resourceLimits: ResourceLimits;
}

/** `file` without its extension. From the source in a checkout, compiled in an installed package. */
export function programFile(file: string, importer: string): URL {
  return new URL(`${file}${importer.endsWith('.ts') ? '.ts' : '.js'}`, importer);
}

/** Why a job has no result. */
export type Excess = 'time' | 'memory';

/** One thread, which performs one job at a time. */
export class Thread<Job, Result> {
  readonly #worker: Worker;
  readonly #name: string;
  /** False once it was ended, by itself or by `end`. */
  isAlive = true;
  #settle: ((result: Result | Excess | Error) => void) | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor({ file, ...options }: ThreadProgram, onExit: (thread: Thread<Job, Result>) => void) {
    this.#name = options.name;
    // None of the flags of the process.
    this.#worker = new Worker(file, { ...options, execArgv: [] });
    // An idle thread must not keep the process alive.
    this.#worker.unref();
    this.#worker.on('error', (error: Error & { code?: string }) => {
      this.#end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : error);
    });
    this.#worker.on('exit', () => {
      this.#end(new Error('the thread has ended'));
      onExit(this);
    });
  }

  perform(job: Job, maxMs: number): Promise<Result | Excess> {
    return new Promise((resolve, reject) => {
      this.#settle = (result) => {
        this.#settle = null;
        clearTimeout(this.#timer);
        this.#worker.removeAllListeners('message');
        if (result instanceof Error) reject(result);
        else resolve(result);
      };
      this.#endAfter(maxStartMs, serviceUnavailable(`The thread for ${this.#name} takes too long to start.`));
      this.#worker.on('message', (message: 'started' | Result) => {
        if (message === 'started') this.#endAfter(maxMs + graceMs, 'time');
        else this.#settle?.(message);
      });
      this.#worker.postMessage(job);
    });
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    this.#end(notAccepting('The service is shutting down.'));
    await this.#worker.terminate();
  }

  #endAfter(ms: number, result: Excess | Error): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(result), ms);
  }

  #end(result: Excess | Error): void {
    this.isAlive = false;
    this.#settle?.(result);
    void this.#worker.terminate();
  }
}
