import { LRUCache } from 'lru-cache';
import type { Eventually } from '../../core/eventually.ts';
import type { StoredJson } from '../../core/stored-json.ts';
import type { Database, Queries } from '../database.ts';

/** What an entry takes besides its bytes: keys, headers, the entry itself. */
const entryOverheadBytes = 300;
/** A larger value would evict too much else, and is dear to send anyway. */
const maxEntryBytes = 1024 * 1024;
/** Workspaces whose generation is remembered; a start from zero costs no more than a few reads. */
const maxGenerations = 10_000;

interface Cacheable {
  readonly body: StoredJson<unknown>;
}

interface Entry {
  readonly value: Cacheable;
  readonly workspaceId: string;
  /** Of the workspace, when it was read. A write raises it, which makes everything read before invalid. */
  readonly generation: number;
}

/**
 * Responses that were read from the database, by workspace, as long as they are true. A write of this process drops those
 * of its workspace. After a commit by another process everything is dropped, since nobody knows what it changed; that is
 * checked with every read. On PostgreSQL nothing is cached, because a check would cost as much as the read.
 */
export class ReadCache {
  readonly #database: Database;
  readonly #entries: LRUCache<string, Entry>;
  /** How often each workspace was written to. */
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

  /** A name must stand for one value of one workspace. Resolved already if it is cached, so that nobody has to wait. */
  read<Value extends Cacheable>(workspaceId: string, name: string, load: () => Promise<Value>): Eventually<Value> {
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

  /** For a write to the workspace, in its transaction: what was read before the commit is dropped with it. */
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
