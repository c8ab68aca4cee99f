import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** How a client fares that does nothing wrong, in a thread of its own so that an attack does not slow it by itself. */
export class Pace {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static start(port: number, key: string, path: string): Pace {
    const file = new URL('./pace-worker.ts', import.meta.url);
    return new Pace(new Worker(file, { workerData: { port, key, path } }));
  }

  /** The times of its requests since it was last asked, in milliseconds. */
  async take(): Promise<number[]> {
    const told = once(this.#worker, 'message');
    this.#worker.postMessage('take');
    const [times] = (await told) as [number[]];
    return times;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
