import type { AnalyticsQuery, AnalyticsResult } from '../../../contract/analytics/query.ts';

/** What a thread does. */
export type AnalyticsJob = { readonly query: QueryJob } | { readonly namesOf: string };

/** A free-form name that calls have, with the types of its values. */
export interface SeenName {
  readonly name: string;
  readonly types: readonly ('string' | 'number' | 'boolean')[];
}

/** A query of a workspace. */
export interface QueryJob {
  readonly workspaceId: string;
  readonly query: AnalyticsQuery;
  /** In milliseconds. */
  readonly now: number;
}

export type QueryReply =
  | { readonly result: Omit<AnalyticsResult, 'tookMs'> }
  /** Why the query is not answered, for the caller. */
  | { readonly refused: string };

export type AnalyticsReply = QueryReply | { readonly names: readonly SeenName[] };

/** Ends a query with an explanation for its caller. */
export class Refusal extends Error {}

const maxMs = 5000;
const maxBytes = 256 * 1024 * 1024;

/** What one query may take. */
export class Budget {
  readonly #now: () => number;
  readonly #startedAt: number;
  #bytes = 0;

  /** `now`: in milliseconds. */
  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#startedAt = now();
  }

  /** To be called between two steps. */
  checkTime(): void {
    if (this.#now() - this.#startedAt <= maxMs) return;
    throw new Refusal(
      `takes more than ${maxMs / 1000} seconds: narrow the range or the filter, or ask for fewer metrics`,
    );
  }

  /** To be called before as much memory is taken until the end of the query. */
  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < maxBytes) return;
    throw new Refusal('has too many different values: narrow the range or the filter, or ask for fewer metrics');
  }
}
