/** Limits a rate, with a reserve for bursts. */
export class TokenBucket {
  readonly #perMs: number;
  readonly #capacity: number;
  readonly #now: () => number;
  #level: number;
  #at: number;

  constructor(perSecond: number, capacity: number, now: () => number) {
    this.#perMs = perSecond / 1000;
    this.#capacity = capacity;
    this.#now = now;
    this.#level = capacity;
    this.#at = now();
  }

  /** False if there are not that many. */
  take(count: number): boolean {
    const now = this.#now();
    this.#level = Math.min(this.#capacity, this.#level + (now - this.#at) * this.#perMs);
    this.#at = now;
    if (count > this.#level) return false;
    this.#level -= count;
    return true;
  }
}
