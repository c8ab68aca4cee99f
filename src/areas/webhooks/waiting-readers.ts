import { AppError } from '../../core/errors.ts';

const maxReadersPerKey = 10;

interface Reader {
  readonly workspaceId: string;
  readonly after: number;
  readonly wake: () => void;
}

/**
 * Requests that wait for the next event of a workspace. Events that this process writes wake them at once; those of
 * other processes are found by one query per second for all of them.
 */
export class WaitingReaders {
  readonly #readers = new Set<Reader>();
  /** How many requests of each key may wait, also while they look at events of other types. */
  readonly #admitted = new Map<string, number>();
  readonly #newestPositions: (workspaceIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;

  constructor(newestPositions: (workspaceIds: readonly string[]) => Promise<ReadonlyMap<string, number>>) {
    this.#newestPositions = newestPositions;
  }

  /** Counts a request until the returned function is called. Throws if too many requests of the key wait already. */
  admit(keyId: string): () => void {
    const count = this.#admitted.get(keyId) ?? 0;
    if (count >= maxReadersPerKey) throw tooManyReaders();
    this.#admitted.set(keyId, count + 1);
    return () => {
      const left = (this.#admitted.get(keyId) ?? 1) - 1;
      if (left === 0) this.#admitted.delete(keyId);
      else this.#admitted.set(keyId, left);
    };
  }

  /** Resolves when the workspace may have events after this position, the time is over, or the signal is aborted. */
  wait(workspaceId: string, after: number, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.#readers.delete(reader);
        resolve();
      };
      const reader: Reader = { workspaceId, after, wake };
      const timer = setTimeout(wake, ms);
      this.#readers.add(reader);
      if (signal.aborted) wake();
      else signal.addEventListener('abort', wake, { once: true });
    });
  }

  /** This process has written events of the workspace. */
  notify(workspaceId: string): void {
    for (const reader of [...this.#readers]) if (reader.workspaceId === workspaceId) reader.wake();
  }

  /** Looks for events that other processes have written. */
  async poll(): Promise<void> {
    if (this.#readers.size === 0) return;
    const newest = await this.#newestPositions([...new Set([...this.#readers].map((reader) => reader.workspaceId))]);
    for (const { workspaceId, after, wake } of [...this.#readers]) {
      if ((newest.get(workspaceId) ?? 0) > after) wake();
    }
  }
}

function tooManyReaders(): AppError {
  return new AppError(
    'RATE_LIMITED',
    `More than ${maxReadersPerKey} requests of this API key are waiting for events.`,
    {
      headers: { 'retry-after': '1' },
    },
  );
}
