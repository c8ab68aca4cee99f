import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The times of regular tenants, in milliseconds, and what they were refused. */
export interface RegularTimes {
  readonly requests: number[];
  readonly turns: number[];
  /** From the end of a call to the arrival of its event. */
  readonly deliveries: number[];
  readonly failures: string[];
}

export interface RegularOptions {
  readonly port: number;
  readonly keys: readonly string[];
  readonly pauseMs: number;
}

/** Tenants that do what tenants usually do, in a thread of their own so that the attackers do not slow them down. */
export class RegularTenants {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static async start(options: RegularOptions): Promise<RegularTenants> {
    const worker = new Worker(new URL('./regular-tenants-worker.ts', import.meta.url), { workerData: options });
    await once(worker, 'message');
    return new RegularTenants(worker);
  }

  /** What happened since the last call. */
  async take(): Promise<RegularTimes> {
    const message = once(this.#worker, 'message');
    this.#worker.postMessage('take');
    const [times] = (await message) as [RegularTimes];
    return times;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
