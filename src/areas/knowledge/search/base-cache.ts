import { FairQueue } from '../../../core/fair-queue.ts';
import type { ReaderConnection } from '../../../storage/database.ts';
import type { Turns } from '../../../workers/resident/turns.ts';
import { type LoadedBase, loadBase } from './loaded-base.ts';
import type { BaseKey } from './rows.ts';

interface Entry {
  readonly workspaceId: string;
  readonly baseId: string;
  loaded: LoadedBase | null;
  /** When it was last known to be the newest revision. */
  newestAt: number;
  /** Being read from the database, and about to be read after that. */
  running: Promise<void> | null;
  next: Promise<void> | null;
}

export interface BaseCacheOptions {
  /** Only for loading: a snapshot stays open while a base is read. */
  readonly connection: ReaderConnection;
  readonly turns: Turns;
  readonly maxBytes: number;
}

/** One base is loaded at a time, workspaces in turn. */
const loadLimits = { slots: { total: 1, perGroup: 1 }, waiting: 10_000, waitingPerWorkspace: 1000 };

/** The bases in memory. The one that was used the longest ago leaves when there is too little of it. */
export class BaseCache {
  readonly #options: BaseCacheOptions;
  /** The one that was used last comes last. */
  readonly #entries = new Map<string, Entry>();
  readonly #loads = new FairQueue(loadLimits);

  constructor(options: BaseCacheOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#entries.values().reduce((sum, { loaded }) => sum + (loaded?.bytes ?? 0), 0);
  }

  /** The base in memory, loaded if it is not. Null if it does not exist. */
  async get(workspaceId: string, baseId: string): Promise<LoadedBase | null> {
    const entry = this.#used(workspaceId, baseId);
    if (entry.loaded === null) await (entry.running ?? this.#load(entry));
    return entry.loaded;
  }

  /** Loads these bases, one after the other, until all bases take so much memory. Resolves to how many it has loaded. */
  async fill(bases: readonly BaseKey[], maxBytes: number): Promise<number> {
    let loaded = 0;
    for (const { workspaceId, baseId } of bases) {
      if (this.bytes >= maxBytes) break;
      // Why one cannot be loaded is reported by the next search in it.
      const base = await this.get(workspaceId, baseId).catch(() => null);
      if (base !== null) loaded += 1;
    }
    return loaded;
  }

  /** Reads what has changed by now. */
  refresh(workspaceId: string, baseId: string): Promise<void> {
    const entry = this.#used(workspaceId, baseId);
    if (entry.running === null) return this.#load(entry);
    // What is running may have started before the change.
    entry.next ??= entry.running
      .catch(() => {})
      .then(() => {
        entry.next = null;
        return this.#load(entry);
      });
    return entry.next;
  }

  /**
   * Reads what has changed by now. A base that is not in memory is loaded, unless all bases take more than `maxBytes`: the
   * first question after an upload would not wait for it.
   */
  async changed(workspaceId: string, baseId: string, maxBytes: number): Promise<void> {
    if (this.#entries.has(keyOf(workspaceId, baseId))) await this.refresh(workspaceId, baseId);
    else await this.fill([{ workspaceId, baseId }], maxBytes);
  }

  /** How long ago the base was known to be the newest revision. */
  age(workspaceId: string, baseId: string): number {
    return performance.now() - (this.#entries.get(keyOf(workspaceId, baseId))?.newestAt ?? Number.NEGATIVE_INFINITY);
  }

  noteNewest(workspaceId: string, baseId: string): void {
    const entry = this.#entries.get(keyOf(workspaceId, baseId));
    if (entry !== undefined) entry.newestAt = performance.now();
  }

  forget(workspaceId: string, baseId: string): void {
    this.#entries.delete(keyOf(workspaceId, baseId));
  }

  #used(workspaceId: string, baseId: string): Entry {
    const key = keyOf(workspaceId, baseId);
    const entry = this.#entries.get(key) ?? {
      workspaceId,
      baseId,
      loaded: null,
      newestAt: Number.NEGATIVE_INFINITY,
      running: null,
      next: null,
    };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #load(entry: Entry): Promise<void> {
    entry.running = this.#read(entry).finally(() => {
      entry.running = null;
    });
    return entry.running;
  }

  async #read(entry: Entry): Promise<void> {
    const { workspaceId, baseId } = entry;
    const { connection, turns } = this.#options;
    const release = await this.#loads.acquire(workspaceId);
    try {
      let startedAt = 0;
      const turn = (): Promise<void> => turns.turn(`load ${workspaceId}`);
      const loaded = await connection.snapshot((reader) => {
        startedAt = performance.now();
        return loadBase(reader, { workspaceId, baseId }, entry.loaded, turn);
      });
      entry.loaded = loaded;
      entry.newestAt = startedAt;
      if (loaded === null) this.forget(workspaceId, baseId);
      else this.#makeRoom(entry);
    } finally {
      release();
    }
  }

  /** A base that needs more than all of the memory stays until the next one is loaded. */
  #makeRoom(except: Entry): void {
    let bytes = this.bytes;
    for (const [key, entry] of this.#entries) {
      if (bytes <= this.#options.maxBytes) return;
      if (entry === except || entry.running !== null || entry.loaded === null) continue;
      bytes -= entry.loaded.bytes;
      this.#entries.delete(key);
    }
  }
}

function keyOf(workspaceId: string, baseId: string): string {
  return `${workspaceId} ${baseId}`;
}
