import type { DatabaseLocation } from '../../../config-values.ts';
import type { ReadReply } from '../../../storage/readers/reader-threads.ts';
import type { EmbeddingModel } from './loaded-base.ts';
import type { ExplainRequest, SearchRequest } from './search.ts';

/** What goes between the service and the search thread. */

export interface SearchThreadData {
  readonly location: DatabaseLocation;
  readonly embeddings: EmbeddingModel | null;
  readonly maxBytes: number;
  readonly maxSearchMs: number;
}

export type ThreadRequest =
  | { readonly type: 'search'; readonly request: SearchRequest }
  | { readonly type: 'explain'; readonly request: ExplainRequest }
  | { readonly type: 'load' | 'changed' | 'removed'; readonly workspaceId: string; readonly baseId: string }
  /** The memory of all bases, in bytes. */
  | { readonly type: 'memory' };

export type ThreadReply = ReadReply<unknown>;
