import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The response times of a well-behaved client, in a separate thread so that the attack does not slow it down. */
export class Pace {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static start(port: number, key: string, path: string): Pace {
    const file = new URL('./pace-worker.ts', import.meta.url);
    return new Pace(new Worker(file, { workerData: { port, key, path } }));
  }

  /** The request durations since the last call, in milliseconds. */
  async take(): Promise<number[]> {
    const message = once(this.#worker, 'message');
    this.#worker.postMessage('take');
    const [times] = (await message) as [number[]];
    return times;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
