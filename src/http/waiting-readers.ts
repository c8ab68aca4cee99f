import { AppError } from '../core/errors.ts';

interface Reader<Item> {
  readonly after: number;
  readonly wake: () => void;
  /** What this process has written while it waited; null if it has to be read. */
  written: readonly Item[] | null;
}

/** The newest position of each of these subjects that has one. */
export type NewestPositions = (subjects: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/**
 * Requests that wait for something new of a subject, such as the next event of a call. What this process writes wakes
 * them at once; what other processes write is found by one query for all of them, whenever `poll` is called.
 */
export class WaitingReaders<Item = never> {
  readonly #readers = new Map<string, Set<Reader<Item>>>();
  readonly #newestPositions: NewestPositions;

  constructor(newestPositions: NewestPositions) {
    this.#newestPositions = newestPositions;
  }

  /**
   * Resolves when the subject may have something after this position, the time is over, or the signal is aborted: to what
   * this process has written meanwhile, and to null if that is unknown.
   */
  async wait(subject: string, after: number, ms: number, signal: AbortSignal): Promise<readonly Item[] | null> {
    const readers = this.#readers.get(subject) ?? new Set();
    this.#readers.set(subject, readers);
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    const reader: Reader<Item> = { after, wake, written: [] };
    const timer = setTimeout(wake, ms);
    readers.add(reader);
    if (signal.aborted) wake();
    else signal.addEventListener('abort', wake, { once: true });
    // A second transaction that ends at the same time still finds the reader.
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
    readers.delete(reader);
    if (readers.size === 0) this.#readers.delete(subject);
    return reader.written;
  }

  /** This process has written something for the subject. `written`: the items in order; null if they are not known. */
  notify(subject: string, written: readonly Item[] | null): void {
    for (const reader of this.#readers.get(subject) ?? []) {
      reader.written = written === null || reader.written === null ? null : [...reader.written, ...written];
      reader.wake();
    }
  }

  /** Looks for what other processes have written. */
  async poll(): Promise<void> {
    if (this.#readers.size === 0) return;
    const newest = await this.#newestPositions([...this.#readers.keys()]);
    for (const [subject, readers] of this.#readers) {
      for (const { after, wake } of [...readers]) if ((newest.get(subject) ?? 0) > after) wake();
    }
  }
}

/** How many requests may wait at the same time, by a key such as that of the client. */
export class WaitingLimit {
  readonly #max: number;
  readonly #message: string;
  readonly #counts = new Map<string, number>();

  constructor(max: number, message: string) {
    this.#max = max;
    this.#message = message;
  }

  /** Counts a request until the returned function is called. Throws if too many wait already. */
  admit(key: string): () => void {
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#max) throw new AppError('RATE_LIMITED', this.#message, { headers: { 'retry-after': '1' } });
    this.#counts.set(key, count + 1);
    return () => {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    };
  }
}
