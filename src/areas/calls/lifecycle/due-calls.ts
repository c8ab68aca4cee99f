import type { Call } from '../../../contract/calls/call.ts';
import type { Database, Reads } from '../../../storage/database.ts';
import { isOfPool, type Pool } from './concurrency.ts';

/** SQL for calls in which the service has to act. */
export function createDueCalls(database: Database) {
  const { textsIn } = database.dialect;
  return {
    /** The calls in which the service has to act, except those in a queue. */
    due: async (time: number, limit: number): Promise<{ workspaceId: string; id: string }[]> => {
      const rows = await database.all<{ workspace_id: string; id: string }>(
        "SELECT workspace_id, id FROM calls WHERE due_at <= $1 AND status <> 'queued' ORDER BY due_at LIMIT $2 + 0",
        [time, limit],
      );
      return rows.map(({ workspace_id, id }) => ({ workspaceId: workspace_id, id }));
    },

    /** The queues in which a call is due. */
    queues: async (time: number): Promise<{ workspaceId: string; type: Call['type'] }[]> => {
      const rows = await database.all<{ workspace_id: string; type: Call['type'] }>(
        "SELECT DISTINCT workspace_id, type FROM calls WHERE status = 'queued' AND due_at <= $1",
        [time],
      );
      return rows.map(({ workspace_id, type }) => ({ workspaceId: workspace_id, type }));
    },

    /** Calls whose time in the queue is over. Queued calls have no owner, so `lease_until` stores the deadline. */
    overdueInQueue: async (
      queries: Reads,
      workspaceId: string,
      pool: Pool,
      time: number,
      limit: number,
    ): Promise<string[]> => {
      const rows = await queries.all<{ id: string }>(
        `SELECT id FROM calls WHERE workspace_id = $1 AND status = 'queued' AND lease_until <= $2
            AND ${isOfPool(pool)} ORDER BY due_at, id LIMIT $3 + 0`,
        [workspaceId, time, limit],
      );
      return rows.map(({ id }) => id);
    },

    /** By time, then by id. `without`: carriers whose calls have to wait. */
    dueInQueue: async (
      queries: Reads,
      workspaceId: string,
      pool: Pool,
      time: number,
      limit: number,
      without: readonly string[],
    ): Promise<string[]> => {
      const rows = await queries.all<{ id: string }>(
        `SELECT id FROM calls WHERE workspace_id = $1 AND status = 'queued' AND due_at <= $2
            AND ${isOfPool(pool)}
            AND (carrier_id IS NULL OR carrier_id NOT IN (${textsIn('$4')}))
          ORDER BY due_at, id LIMIT $3 + 0`,
        [workspaceId, time, limit, JSON.stringify(without)],
      );
      return rows.map(({ id }) => id);
    },
  };
}
