import { Worker } from 'node:worker_threads';
import { notAccepting, serviceUnavailable } from '../../core/errors.ts';
import type { JobResult, SimulationJob } from './job.ts';

/** From the source in a checkout, compiled in an installed package. */
const workerFile = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);

/** A conversation takes a few megabytes; a script that makes an agent talk forever must not take the service's memory. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const maxStartMs = 20_000;
/** A job ends by itself between two runs. The thread is ended only if one run alone takes too long. */
const graceMs = 250;

/** Why a job has no report. */
export type Excess = 'time' | 'memory';

/** One thread, which performs one job at a time. */
export class SimulationThread {
  readonly #worker: Worker;
  /** False once it was ended, by itself or by `end`. */
  isAlive = true;
  #settle: ((result: JobResult | Excess | Error) => void) | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(onExit: (thread: SimulationThread) => void) {
    // Nothing of the environment, which contains credentials, and none of the flags of the process.
    this.#worker = new Worker(workerFile, { name: 'simulations', env: {}, execArgv: [], resourceLimits });
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

  perform(job: SimulationJob): Promise<JobResult | Excess> {
    return new Promise((resolve, reject) => {
      this.#settle = (result) => {
        this.#settle = null;
        clearTimeout(this.#timer);
        this.#worker.removeAllListeners('message');
        if (result instanceof Error) reject(result);
        else resolve(result);
      };
      this.#endAfter(maxStartMs, serviceUnavailable('Simulations take too long to start.'));
      this.#worker.on('message', (message: 'started' | JobResult) => {
        if (message === 'started') this.#endAfter(job.maxMs + graceMs, 'time');
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
