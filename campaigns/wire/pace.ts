import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface Paces {
  /** The durations of successful requests in milliseconds. */
  readonly times: number[];
  /** The statuses of all other responses. */
  readonly refused: number[];
}

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

  /** The requests since the last call. */
  async take(): Promise<Paces> {
    const message = once(this.#worker, 'message');
    this.#worker.postMessage('take');
    const [paces] = (await message) as [Paces];
    return paces;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
