/**
 * What understanding one reply may cost, in steps of about 8 ns on a quiet core: about 15 ms. Steps are counted, and no
 * clock is read, so that a simulation understands exactly what a call does.
 */
export const maxSteps = 2_000_000;

/** The work of understanding one reply. Once it has taken too much, the rest of the reply is not understood. */
export class Work {
  #left: number;

  constructor(steps = maxSteps) {
    this.#left = steps;
  }

  get isExceeded(): boolean {
    return this.#left < 0;
  }

  /** Counts steps. False if they are too many. */
  take(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }
}
