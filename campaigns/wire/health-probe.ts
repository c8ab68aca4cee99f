import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface Health {
  readonly answers: number;
  /** Refused, cut off, or not answered within the timeout. */
  readonly failures: number;
  readonly maxMs: number;
}

/** Asks for /healthz on a new connection each time, in a thread of its own so that an attack does not slow it by itself. */
export class HealthProbe {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static start(port: number, { timeoutMs }: { timeoutMs: number }): HealthProbe {
    const file = new URL('./health-probe-worker.ts', import.meta.url);
    return new HealthProbe(new Worker(file, { workerData: { port, timeoutMs } }));
  }

  /** How others have fared since it was last asked, up to the end of the request that is under way. */
  async take(): Promise<Health> {
    const told = once(this.#worker, 'message');
    this.#worker.postMessage('take');
    const [health] = (await told) as [Health];
    return health;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
