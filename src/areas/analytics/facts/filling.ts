import type { Call } from '../../../contract/calls/call.ts';
import type { Database, Queries, Reads } from '../../../storage/database.ts';
import type { EndedCallDetails } from '../../area.ts';
import { writeFacts } from './store.ts';

/** Some of the calls of a workspace before an id, newest first, each locked until the end of the transaction. */
export type CallsBefore = (
  queries: Queries,
  workspaceId: string,
  beforeId: string,
) => Promise<{
  readonly calls: readonly {
    readonly call: Call;
    /** Null while it is open. */
    readonly details: EndedCallDetails | null;
  }[];
  /** The last id that was looked at. Null: there are no more. */
  readonly next: string | null;
}>;

/** How long one run goes on, with a pause of as long until the next one. */
const defaultRunMs = 100;

/**
 * Writes the facts of older calls after an upgrade or a restore, newest first: always of the workspace
 * that has come least far. In batches for a while; resolves to true if there are more. Several processes may do so at once.
 */
export function createFilling(
  database: Database,
  callsBefore: CallsBefore,
  runMs = defaultRunMs,
): () => Promise<boolean> {
  const fillBatch = async (queries: Queries): Promise<boolean> => {
    const next = await queries.get<{ workspace_id: string; before_id: string }>(
      `SELECT workspace_id, before_id FROM call_facts_filling ORDER BY before_id DESC LIMIT 1
        ${database.dialect.forUpdateSkipLocked}`,
    );
    if (next === undefined) return false;
    const { workspace_id: workspaceId, before_id: before } = next;
    const { calls, next: beforeId } = await callsBefore(queries, workspaceId, before);
    for (const { call, details } of calls) if (details !== null) await writeFacts(queries, call, details);
    if (beforeId === null) {
      await queries.run('DELETE FROM call_facts_filling WHERE workspace_id = $1', [workspaceId]);
    } else {
      // All of them may have been deleted meanwhile.
      const last = calls.at(-1)?.call.createdAt;
      await queries.run(
        'UPDATE call_facts_filling SET before_id = $2, filled_from = coalesce($3, filled_from) WHERE workspace_id = $1',
        [workspaceId, beforeId, last === undefined ? null : Date.parse(last)],
      );
    }
    return true;
  };
  return async () => {
    // Most of the time there is nothing to do, which a read finds out without waiting for writes.
    if ((await database.get('SELECT 1 AS one FROM call_facts_filling LIMIT 1')) === undefined) return false;
    const end = performance.now() + runMs;
    let hasMore = true;
    do hasMore = await database.transaction(fillBatch, { isBackground: true });
    while (hasMore && performance.now() < end);
    return hasMore;
  };
}

/** Since when the facts of a workspace are complete: null if they all are. `now`: if none of the older ones is there yet. */
export async function filledFrom(reads: Reads, workspaceId: string, now: number): Promise<number | null> {
  const row = await reads.get<{ filled_from: number | null }>(
    'SELECT filled_from FROM call_facts_filling WHERE workspace_id = $1',
    [workspaceId],
  );
  return row === undefined ? null : (row.filled_from ?? now);
}
