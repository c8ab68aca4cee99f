/** The time of a call: monotonic milliseconds. Everything in a call that waits, waits on a clock. */
export interface Clock {
  now(): number;
  /** Runs a function later; returns how to cancel it. */
  after(ms: number, run: () => void): () => void;
}

export const realClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};

interface Entry {
  readonly at: number;
  /** Entries of the same time run in the order in which they were added. */
  readonly order: number;
  run: (() => void) | null;
}

/** Time that advances only when it is told to: a call of an hour takes milliseconds, and always the same way. */
export class VirtualClock implements Clock {
  private time = 0;
  private order = 0;
  /** A binary heap: a call sets and cancels many timers, and a sorted array made simulations half as fast. */
  private readonly heap: Entry[] = [];

  now(): number {
    return this.time;
  }

  after(ms: number, run: () => void): () => void {
    const entry: Entry = { at: this.time + Math.max(0, ms), order: this.order++, run };
    this.push(entry);
    return () => {
      entry.run = null;
    };
  }

  /** Advances to the next entry and runs it. False if nothing is left, or nothing before `until`. */
  runNext(until = Number.POSITIVE_INFINITY): boolean {
    for (;;) {
      const entry = this.heap[0];
      if (entry === undefined || entry.at > until) return false;
      this.pop();
      const { run } = entry;
      if (run === null) continue;
      entry.run = null;
      this.time = entry.at;
      run();
      return true;
    }
  }

  /** Runs everything that is due within the next milliseconds. */
  advance(ms: number): void {
    const until = this.time + ms;
    while (this.runNext(until));
    this.time = until;
  }

  private push(entry: Entry): void {
    const { heap } = this;
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Entry;
      if (isBefore(above, entry)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  private pop(): void {
    const { heap } = this;
    const entry = heap.pop() as Entry;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Entry)) child += 1;
      const below = heap[child] as Entry;
      if (isBefore(entry, below)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = entry;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
