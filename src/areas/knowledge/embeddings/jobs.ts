import type { Queries } from '../../../storage/database.ts';
import type { Semantic } from './semantic.ts';

export interface BaseKey {
  readonly workspaceId: string;
  readonly baseId: string;
}

/** What the job needs of bases. Both run in a transaction of the job. */
export interface EmbeddedBases {
  /** Locks the row of the base. Null if it is gone. */
  lock(
    queries: Queries,
    base: BaseKey,
  ): Promise<{ readonly useEmbeddings: boolean; readonly semantic: Semantic } | null>;
  /** Stores it. `hasNewVectors`: the revision of the base changes, because search sees them. */
  update(queries: Queries, base: BaseKey, semantic: Semantic, hasNewVectors: boolean): Promise<void>;
}

/** A base has at most one job that is not finished. Without a provider, none is added. */
export interface EmbedJobs {
  /**
   * The chunks of the base have changed, or `useEmbeddings` has: in the transaction that has locked the base, after the
   * change. Resolves to what the base is to store as `semantic`; a job makes the missing vectors.
   */
  changed(queries: Queries, base: BaseKey, useEmbeddings: boolean): Promise<Semantic>;
  /** The name of a document is part of what its vectors are made of: they are made again. Before `changed`. */
  renamed(queries: Queries, documentId: string): Promise<void>;
  /** At the start: bases whose vectors are not those of the configured provider get them. */
  ensureAll(): Promise<void>;
}
