import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** How busy the machine is: how long a thread takes for its work, as a multiple of the processor time that it gets. */
export class Contention {
  readonly #worker = new Worker(new URL('./contention-worker.ts', import.meta.url));

  /** From 1, on a machine where nothing waits for a processor. */
  async end(): Promise<number> {
    const answered = once(this.#worker, 'message');
    this.#worker.postMessage('end');
    const [factor] = (await answered) as [number];
    await this.#worker.terminate();
    return factor;
  }
}
