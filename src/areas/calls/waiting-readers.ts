import { AppError } from '../../core/errors.ts';

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
}

/**
 * Requests that wait for the next event of a call. Events that this process writes wake them at once; those of other
 * processes are found by one query per second for all of them.
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
    return this.#wait(callId, after, ms, signal, true);
  }

  /** The same for the socket of the call, which does not count as a request. */
  follow(callId: string, after: number, ms: number, signal: AbortSignal): Promise<void> {
    return this.#wait(callId, after, ms, signal, false);
  }

  #wait(callId: string, after: number, ms: number, signal: AbortSignal, isRequest: boolean): Promise<void> {
    const readers = this.#readers.get(callId) ?? new Set();
    this.#readers.set(callId, readers);
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        readers.delete(reader);
        if (readers.size === 0) this.#readers.delete(callId);
        resolve();
      };
      const reader: Reader = { after, wake, isRequest };
      const timer = setTimeout(wake, ms);
      readers.add(reader);
      if (signal.aborted) wake();
      else signal.addEventListener('abort', wake, { once: true });
    });
  }

  /** This process has written events of the call. */
  notify(callId: string): void {
    for (const { wake } of [...(this.#readers.get(callId) ?? [])]) wake();
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
