/** A seeded random number generator: the same seed produces the same sequence. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to but excluding 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in an inclusive range. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)] as T;
  }

  shuffled<T>(list: readonly T[]): T[] {
    const result = [...list];
    for (let place = result.length - 1; place > 0; place -= 1) {
      const other = this.int(0, place);
      [result[place], result[other]] = [result[other] as T, result[place] as T];
    }
    return result;
  }

  /** An independent generator for concurrent work. */
  fork(): Random {
    return new Random(this.int(0, 2 ** 32 - 1));
  }
}
