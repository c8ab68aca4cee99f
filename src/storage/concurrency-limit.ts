import { serviceUnavailable } from '../core/errors.ts';

/** So many may wait without anybody having to think of an overload. */
const ordinaryWaiting = 64;

/** Lets so many work at once. The others wait in the order in which they came, and no longer than a while. */
export class ConcurrencyLimit {
  readonly #count: number;
  readonly #maxWaitMs: number;
  readonly #now: () => number;
  /** Each is called when a seat is its own. A set, so that whoever gives up is gone at once. */
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  #lastTakenAt = 0;
  /** How long a seat is used, of late. */
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
      this.#leave();
    }
  }

  /** How long the next one waits, judged by how many do and how long a seat is used. */
  expectedWaitMs(): number {
    if (this.#waiting.size <= ordinaryWaiting) return 0;
    const usual = (this.#waiting.size * this.#useMs) / this.#count;
    // Where a server has fallen silent no seat is given back, and what was usual says nothing any more.
    return Math.max(usual, this.#now() - this.#lastTakenAt);
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const sitDown = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(sitDown);
        reject(serviceUnavailable('The database is overloaded.'));
      }, this.#maxWaitMs);
      this.#waiting.add(sitDown);
    });
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
