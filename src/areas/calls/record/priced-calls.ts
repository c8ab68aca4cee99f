import type { Call } from '../../../contract/calls/call.ts';
import { isSameJson } from '../../../core/merge-patch.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { OnCallSettled } from '../../area.ts';
import { isTerminal } from './call.ts';
import type { Journal } from './journal.ts';

/** How many calls are looked at, and how many are found at once. */
const stepCalls = 2000;
const maxFound = 50;

/** What a change of prices needs of calls. */
export function createPricedCalls(
  database: Database,
  { journal, onSettled }: { readonly journal: Journal; readonly onSettled: OnCallSettled },
) {
  return {
    /**
     * The ids of calls that are over and were created at `from` or later and before `to`, newest first, among some of
     * those before an id. `next`: where to go on; null if there are no more.
     */
    find: async (
      workspaceId: string,
      { from, to }: { readonly from: number; readonly to: number },
      beforeId: string,
    ): Promise<{ readonly ids: readonly string[]; readonly next: string | null }> => {
      const end = await database.get<{ id: string }>(
        `SELECT id FROM calls WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT 1 OFFSET ${stepCalls - 1}`,
        [workspaceId, beforeId],
      );
      const rows = await database.all<{ id: string }>(
        `SELECT id FROM calls WHERE workspace_id = $1 AND id < $2 AND id >= $3
            AND created_at >= $4 AND created_at < $5 AND ended_at IS NOT NULL
          ORDER BY id DESC LIMIT ${maxFound}`,
        [workspaceId, beforeId, end?.id ?? '', from, to],
      );
      const ids = rows.map(({ id }) => id);
      return { ids, next: ids.length === maxFound ? (ids.at(-1) as string) : (end?.id ?? null) };
    },

    /** Replaces the costs of calls that are over, without events. Calls that were deleted meanwhile are left out. */
    setCosts: async (
      queries: Queries,
      workspaceId: string,
      ids: readonly string[],
      costOf: (call: Call) => Call['cost'],
    ): Promise<void> => {
      for (const id of ids) {
        const locked = await journal.lock(queries, workspaceId, id);
        if (locked === undefined || !isTerminal(locked.call)) continue;
        const cost = costOf(locked.call);
        if (isSameJson(cost, locked.call.cost)) continue;
        locked.setCall({ cost });
        await onSettled(queries, { what: 'changed', call: locked.call });
        await journal.write(queries, locked);
      }
    },
  };
}
