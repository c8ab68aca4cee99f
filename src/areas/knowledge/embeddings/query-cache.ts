interface Entry {
  readonly result: Promise<Int8Array>;
  readonly stop: AbortController;
  isSettled: boolean;
  waiting: number;
}

/**
 * The embeddings of the last queries. Concurrent requests for one text share a request, which is canceled once nobody
 * waits for it. Failures are not kept.
 */
export class QueryCache {
  readonly #embed: (text: string, signal: AbortSignal) => Promise<Int8Array>;
  readonly #maxEntries: number;
  /** By the text, the most recently used one last. */
  readonly #entries = new Map<string, Entry>();

  constructor(embed: (text: string, signal: AbortSignal) => Promise<Int8Array>, maxEntries = 1000) {
    this.#embed = embed;
    this.#maxEntries = maxEntries;
  }

  async get(text: string, signal: AbortSignal): Promise<Int8Array> {
    signal.throwIfAborted();
    const entry = this.#entries.get(text) ?? this.#begin(text);
    this.#entries.delete(text);
    this.#entries.set(text, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) break;
      this.#entries.delete(oldest);
    }
    if (entry.isSettled) return entry.result;
    entry.waiting += 1;
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([entry.result, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      entry.waiting -= 1;
      if (entry.waiting === 0 && !entry.isSettled) {
        this.#forget(text, entry);
        entry.stop.abort();
      }
    }
  }

  #begin(text: string): Entry {
    const stop = new AbortController();
    const entry: Entry = { result: this.#embed(text, stop.signal), stop, isSettled: false, waiting: 0 };
    entry.result.then(
      () => {
        entry.isSettled = true;
      },
      () => {
        entry.isSettled = true;
        this.#forget(text, entry);
      },
    );
    return entry;
  }

  #forget(text: string, entry: Entry): void {
    if (this.#entries.get(text) === entry) this.#entries.delete(text);
  }
}
