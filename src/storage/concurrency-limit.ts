import { serviceUnavailable } from '../core/errors.ts';

/** A queue up to this length is not overload. */
const maxNormalWaiting = 64;

/** Limits the number of concurrent tasks. Others wait in order of arrival, up to a timeout. */
export class ConcurrencyLimit {
  readonly #count: number;
  readonly #maxWaitMs: number;
  readonly #now: () => number;
  /** Each is called when a slot is free. A set, so that a waiter that times out can be removed immediately. */
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  #lastTakenAt = 0;
  /** A moving average of how long a slot is used. */
  #useMs = 1;

  constructor(count: number, maxWaitMs: number, now: () => number = () => performance.now()) {
    this.#count = count;
    this.#maxWaitMs = maxWaitMs;
    this.#now = now;
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#count) this.#taken += 1;
    else await this.#wait();
    const takenAt = this.#now();
    this.#lastTakenAt = takenAt;
    try {
      return await work();
    } finally {
      this.#useMs += 0.02 * (this.#now() - takenAt - this.#useMs);
      this.#release();
    }
  }

  /** The expected wait of the next task, by the queue length and the average use of a slot. */
  expectedWaitMs(): number {
    if (this.#waiting.size <= maxNormalWaiting) return 0;
    const averageWaitMs = (this.#waiting.size * this.#useMs) / this.#count;
    // If the server stops responding no slot is released, and the average no longer applies.
    return Math.max(averageWaitMs, this.#now() - this.#lastTakenAt);
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const takeSlot = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(takeSlot);
        reject(serviceUnavailable('The database is overloaded.'));
      }, this.#maxWaitMs);
      this.#waiting.add(takeSlot);
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
