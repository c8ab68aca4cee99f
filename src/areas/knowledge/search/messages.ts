import type { DatabaseLocation } from '../../../config-values.ts';
import type { ReadReply } from '../../../storage/readers/reader-threads.ts';
import type { ExplainRequest, SearchRequest } from './search.ts';

/** What goes between the service and the search thread. */

export interface SearchThreadData {
  readonly location: DatabaseLocation;
  readonly maxBytes: number;
  readonly maxSearchMs: number;
}

export type ThreadRequest =
  | { readonly type: 'search'; readonly request: SearchRequest }
  | { readonly type: 'explain'; readonly request: ExplainRequest }
  | { readonly type: 'load' | 'changed' | 'removed'; readonly workspaceId: string; readonly baseId: string }
  /** `memory`: that of all bases, in bytes. */
  | { readonly type: 'memory' | 'preload' };

export type ThreadReply = ReadReply<unknown>;
