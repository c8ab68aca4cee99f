import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { StoredJson } from '../../core/stored-json.ts';
import type { Database, Queries } from '../database.ts';

/** The estimated size of an entry besides its bytes: keys, headers, and the entry itself. */
const entryOverheadBytes = 300;
/** A larger value would evict too many others, and sending it is expensive anyway. */
const maxEntryBytes = 1024 * 1024;
/** The maximum number of tracked generations. Evicting one costs no more than a few extra reads. */
const maxGenerations = 10_000;

interface Cacheable {
  readonly body: StoredJson<unknown>;
}

interface Entry {
  readonly value: Cacheable;
  readonly workspaceId: string;
  /**
   * The generation of the workspace when it was read. A write increments it, which invalidates everything read before.
   */
  readonly generation: number;
}

/**
 * Caches responses read from the database, by workspace. A write by this process invalidates the entries of its
 * workspace. A commit by another process, detected with `externalVersion`, invalidates everything, since it is not
 * known what it changed. Nothing is cached on PostgreSQL, where the check would cost as much as the read.
 */
export class ReadCache {
  readonly #database: Database;
  readonly #entries: LRUCache<string, Entry>;
  /** Write counts by workspace. */
  readonly #generations = new Map<string, number>();
  #version: number | null = null;

  constructor(database: Database, maxBytes: number) {
    this.#database = database;
    this.#entries = new LRUCache<string, Entry>({
      maxSize: maxBytes,
      maxEntrySize: maxEntryBytes,
      sizeCalculation: ({ value }) => value.body.byteLength + entryOverheadBytes,
    });
  }

  /** `name` must identify one value of one workspace. Cached values are returned synchronously. */
  read<Value extends Cacheable>(workspaceId: string, name: string, load: () => Promise<Value>): MaybePromise<Value> {
    const version = this.#database.externalVersion();
    if (version === null) return load();
    if (version !== this.#version) {
      this.#clear();
      this.#version = version;
    }
    const generation = this.#generations.get(workspaceId) ?? 0;
    const entry = this.#entries.get(name);
    const isValid = entry?.workspaceId === workspaceId && entry.generation === generation;
    if (isValid) return entry.value as Value;
    return load().then((value) => {
      // Another request may have seen a newer version while this one was loading.
      if (version === this.#version) this.#entries.set(name, { value, workspaceId, generation });
      return value;
    });
  }

  /** Called in the transaction of a write to the workspace: invalidates what was read before the commit. */
  invalidateWith(queries: Queries, workspaceId: string): void {
    queries.atEnd(() => {
      if (this.#generations.size >= maxGenerations) this.#clear();
      this.#generations.set(workspaceId, (this.#generations.get(workspaceId) ?? 0) + 1);
    });
  }

  #clear(): void {
    this.#entries.clear();
    this.#generations.clear();
  }
}
