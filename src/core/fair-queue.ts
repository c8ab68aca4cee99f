import { FairSlots, type SlotLimits } from './fair-slots.ts';

export interface QueueLimits {
  readonly slots: SlotLimits;
  /** How many may wait for a slot, in total and of one workspace. */
  readonly waiting: number;
  readonly waitingPerWorkspace: number;
}

/** There are too many waiting already. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

interface Waiting {
  readonly grant: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * A queue in memory for work that needs a slot: first come, first served within a workspace, and in turn between
 * workspaces.
 */
export class FairQueue {
  readonly #limits: QueueLimits;
  readonly #slots: FairSlots;
  /** By workspace, only those with work waiting. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #closed: { readonly error: Error } | null = null;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
    this.#slots = new FairSlots(limits.slots);
  }

  get used(): number {
    return this.#slots.used;
  }

  get waiting(): number {
    return this.#waiting.values().reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Waits for a slot, and resolves to the function that releases it, which may be called more than once. Rejects with
   * `QueueFullError`, with the reason of the signal, or with the error of `close`.
   */
  async acquire(workspaceId: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#closed !== null) throw this.#closed.error;
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const entry: Waiting = { grant: () => resolve(this.#releaseOnce(workspaceId)), refuse: reject };
    const queue = this.#waiting.get(workspaceId) ?? new Set();
    this.#waiting.set(workspaceId, queue.add(entry));
    this.#grant();
    if (queue.has(entry)) {
      const { waiting, waitingPerWorkspace } = this.#limits;
      if (this.waiting > waiting || queue.size > waitingPerWorkspace) {
        this.#remove(workspaceId, entry);
        throw new QueueFullError('Too many are waiting.');
      }
    }
    const onAbort = (): void => {
      if (this.#remove(workspaceId, entry)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Refuses those that wait, and all that come later. Slots in use stay with their owners until they release them. */
  close(error: Error): void {
    this.#closed = { error };
    for (const queue of this.#waiting.values()) for (const { refuse } of queue) refuse(error);
    this.#waiting.clear();
  }

  #releaseOnce(workspaceId: string): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#slots.release(workspaceId);
      this.#grant();
    };
  }

  #grant(): void {
    if (this.#slots.free === 0) return;
    const demand = new Map([...this.#waiting].map(([workspaceId, { size }]) => [workspaceId, size]));
    for (const [workspaceId, count] of this.#slots.reserve(demand)) {
      for (const entry of [...(this.#waiting.get(workspaceId) ?? [])].slice(0, count)) {
        this.#remove(workspaceId, entry);
        entry.grant();
      }
    }
  }

  #remove(workspaceId: string, entry: Waiting): boolean {
    const queue = this.#waiting.get(workspaceId);
    if (queue?.delete(entry) !== true) return false;
    if (queue.size === 0) this.#waiting.delete(workspaceId);
    return true;
  }
}
