import { openStatuses } from '../../../contract/calls/call.ts';
import type { Database, Reads } from '../../../storage/database.ts';

const isOpen = openStatuses.map((status) => `'${status}'`).join(', ');

/** Whether a call with this agent is open. */
export async function hasOpenCalls(queries: Reads, workspaceId: string, agentId: string): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM calls WHERE workspace_id = $1 AND agent_id = $2 AND status IN (${isOpen}) LIMIT 1`;
  return (await queries.get(sql, [workspaceId, agentId])) !== undefined;
}

/** Who is replying in each of these calls of a workspace. Null: nobody is, such as in a call that is over. */
export async function ownersOf(
  database: Pick<Database, 'dialect' | 'all'>,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await database.all<{ id: string; owner: string | null }>(
    `SELECT id, owner FROM calls WHERE workspace_id = $1 AND id IN (${database.dialect.textsIn('$2')})`,
    [workspaceId, JSON.stringify(ids)],
  );
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}
