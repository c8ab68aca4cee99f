import { AppError } from '../../core/errors.ts';
import type { EventRow } from './turns-and-events.ts';

/** Enough for several tabs of one call. */
const maxReadersPerCall = 10;

export interface WaitingParts {
  /** The number of the newest event of each of these calls. */
  readonly newestEvents: (callIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

interface Reader {
  readonly after: number;
  readonly wake: () => void;
  readonly isRequest: boolean;
  /** What this process has written while it waited; null if it has to be read. */
  written: readonly EventRow[] | null;
}

/**
 * Requests that wait for the next event of a call. Events that this process writes wake them at once; those of other
 * processes are found by one query every 500 ms for all of them.
 */
export class WaitingReaders {
  readonly #readers = new Map<string, Set<Reader>>();
  readonly #parts: WaitingParts;

  constructor(parts: WaitingParts) {
    this.#parts = parts;
  }

  /** Resolves when the call has events after this one, the time is over, or the signal is aborted. */
  wait(callId: string, after: number, ms: number, signal: AbortSignal): Promise<void> {
    const waiting = [...(this.#readers.get(callId) ?? [])].filter(({ isRequest }) => isRequest).length;
    if (waiting >= maxReadersPerCall) throw tooManyReaders();
    return this.#wait(callId, after, ms, signal, true).then(() => {});
  }

  /**
   * The same for the socket of the call, which does not count as a request. Resolves to the events after this one if this
   * process has just written them, so that they need not be read; to null otherwise.
   */
  async follow(callId: string, after: number, ms: number, signal: AbortSignal): Promise<readonly EventRow[] | null> {
    const written = await this.#wait(callId, after, ms, signal, false);
    // If transactions ended in another order, or with others between them, the rows in the database are read.
    const isComplete = written?.every(({ sequence }, place) => sequence === after + 1 + place) ?? false;
    return isComplete && written?.length !== 0 ? written : null;
  }

  async #wait(callId: string, after: number, ms: number, signal: AbortSignal, isRequest: boolean) {
    const readers = this.#readers.get(callId) ?? new Set();
    this.#readers.set(callId, readers);
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    const reader: Reader = { after, wake, isRequest, written: [] };
    const timer = setTimeout(wake, ms);
    readers.add(reader);
    if (signal.aborted) wake();
    else signal.addEventListener('abort', wake, { once: true });
    // A second transaction that ends at the same time still finds the reader.
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
    readers.delete(reader);
    if (readers.size === 0) this.#readers.delete(callId);
    return reader.written;
  }

  /** This process has written events of the call: these, in order, or unknown ones. */
  notify(callId: string, written: readonly EventRow[] | null): void {
    for (const reader of this.#readers.get(callId) ?? []) {
      reader.written = written === null || reader.written === null ? null : [...reader.written, ...written];
      reader.wake();
    }
  }

  /** Looks for events that other processes have written. */
  async poll(): Promise<void> {
    if (this.#readers.size === 0) return;
    const newest = await this.#parts.newestEvents([...this.#readers.keys()]);
    for (const [callId, readers] of this.#readers) {
      for (const { after, wake } of [...readers]) if ((newest.get(callId) ?? 0) > after) wake();
    }
  }
}

function tooManyReaders(): AppError {
  return new AppError('RATE_LIMITED', `More than ${maxReadersPerCall} requests are waiting for events of this call.`, {
    headers: { 'retry-after': '1' },
  });
}
