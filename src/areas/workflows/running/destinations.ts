import { createHmac } from 'node:crypto';
import type { Call } from '../../../contract/calls/call.ts';
import type { Sealer } from '../../../core/sealer.ts';
import type { Queries } from '../../../storage/database.ts';

export const maxCallsPerDay = 3;
const dayMs = 24 * 3_600_000;

/** Limits how often all workflows of a workspace call the same number: a mistake in one rings somebody's phone. */
export function createDestinations(sealer: Sealer, now: () => number) {
  const digestKey = sealer.derive('workflow destinations');
  /** Recognizes calls to the same number without storing it. */
  const digestOf = (workspaceId: string, number: string): string =>
    createHmac('sha256', digestKey).update(`${workspaceId} ${number}`).digest('base64url').slice(0, 27);

  return {
    isAllowed: async (queries: Queries, workspaceId: string, to: string): Promise<boolean> => {
      const row = await queries.get<{ count: number }>(
        'SELECT count(*) AS count FROM workflow_calls WHERE workspace_id = $1 AND destination = $2 AND created_at > $3',
        [workspaceId, digestOf(workspaceId, to), now() - dayMs],
      );
      return Number(row?.count ?? 0) < maxCallsPerDay;
    },

    note: async (queries: Queries, { id, workspaceId }: Call, to: string, depth: number): Promise<void> => {
      await queries.write(
        'INSERT INTO workflow_calls (workspace_id, destination, created_at, call_id, depth) VALUES ($1, $2, $3, $4, $5)',
        [workspaceId, digestOf(workspaceId, to), now(), id, depth],
      );
    },
  };
}
