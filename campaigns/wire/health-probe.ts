import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface Health {
  readonly answers: number;
  /** Refused, cut off, or without a response within the timeout. */
  readonly failures: number;
  readonly maxMs: number;
}

/** Requests /healthz on a new connection each time, in a separate thread so that the attack does not slow it down. */
export class HealthProbe {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static start(port: number, { timeoutMs }: { timeoutMs: number }): HealthProbe {
    const file = new URL('./health-probe-worker.ts', import.meta.url);
    return new HealthProbe(new Worker(file, { workerData: { port, timeoutMs } }));
  }

  /** The results since the last call, including the current request. */
  async take(): Promise<Health> {
    const message = once(this.#worker, 'message');
    this.#worker.postMessage('take');
    const [health] = (await message) as [Health];
    return health;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
