import type { Prices } from '../../../contract/analytics/prices.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { JobKind } from '../../../jobs/kind.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import { afterEveryId } from '../../../storage/page.ts';
import type { PriceStore } from './store.ts';

/** What a change of prices needs of calls. */
export interface PricedCalls {
  /**
   * The ids of calls that are over and were created at `from` or later and before `to`, newest first, among some of those
   * before an id. `next`: where to go on; null if there are no more.
   */
  find(
    workspaceId: string,
    range: { readonly from: number; readonly to: number },
    beforeId: string,
  ): Promise<{ readonly ids: readonly string[]; readonly next: string | null }>;
  /** Replaces the costs of calls that are over, without events. */
  setCosts(
    queries: Queries,
    workspaceId: string,
    ids: readonly string[],
    costOf: (call: Call) => Call['cost'],
  ): Promise<void>;
}

interface Recalculation {
  readonly validFrom: number;
  /** The calls from this id on are done. */
  readonly beforeId: string;
}

export interface RecalculationParts {
  readonly database: Database;
  readonly jobs: Pick<JobQueue, 'add' | 'remove'>;
  readonly store: PriceStore;
  readonly calls: PricedCalls;
  readonly byPrices: (call: Call, prices: Prices | null) => Call['cost'];
}

const kindName = 'recalculation of costs';
const maxAttempts = 100;

/**
 * After a change of prices, computes the costs of the calls to which they apply again: one job for each batch, which adds
 * the next one in its transaction. A call that ends later has the new prices anyway.
 */
export function createRecalculation({ database, jobs, store, calls, byPrices }: RecalculationParts) {
  const keyOf = (workspaceId: string, validFrom: number): string => `${workspaceId}/${validFrom}`;
  const add = (queries: Queries, workspaceId: string, payload: Recalculation): Promise<unknown> =>
    jobs.add<Recalculation>(
      queries,
      { name: kindName, maxAttempts },
      { workspaceId, payload, dedupeKey: keyOf(workspaceId, payload.validFrom) },
    );

  /** Reads, outside of a transaction, until there is something to write. */
  const nextBatch = async (workspaceId: string, { validFrom, beforeId }: Recalculation, signal: AbortSignal) => {
    const to = (await store.nextAfter(database, workspaceId, validFrom)) ?? Number.MAX_SAFE_INTEGER;
    for (let position = beforeId; ; ) {
      signal.throwIfAborted();
      const { ids, next } = await calls.find(workspaceId, { from: validFrom, to }, position);
      if (ids.length > 0 || next === null) return { ids, next };
      position = next;
    }
  };

  const kind: JobKind<Recalculation> = {
    name: kindName,
    maxAttempts,
    retryDelaysMs: [1000, 10_000, 60_000],
    timeoutMs: 120_000,
    concurrency: 2,
    concurrencyPerWorkspace: 1,
    run: async ({ workspaceId, payload }, { signal, complete }) => {
      if (workspaceId === null) return;
      const { ids, next } = await nextBatch(workspaceId, payload, signal);
      await database.transaction(
        async (queries) => {
          // Before the job is locked, as everywhere.
          await store.keep(queries, workspaceId);
          // Prices were changed again, which has begun another one.
          if (!(await complete(queries))) return;
          const prices = await store.validAt(queries, workspaceId, payload.validFrom);
          const end = await store.nextAfter(queries, workspaceId, payload.validFrom);
          const applies = ({ createdAt }: Call) => end === null || Date.parse(createdAt) < end;
          await calls.setCosts(queries, workspaceId, ids, (call) =>
            applies(call) ? byPrices(call, prices) : call.cost,
          );
          if (next !== null) await add(queries, workspaceId, { ...payload, beforeId: next });
        },
        { isBackground: true },
      );
    },
  };

  return {
    kind: kind as JobKind,

    /** The prices from this time on have changed in this transaction. */
    begin: async (queries: Queries, workspaceId: string, validFrom: number): Promise<void> => {
      await jobs.remove(queries, kind, keyOf(workspaceId, validFrom));
      await add(queries, workspaceId, { validFrom, beforeId: afterEveryId });
    },
  };
}
