import { openStatuses } from '../../contract/calls/call.ts';
import type { Reads } from '../../storage/database.ts';

const isOpen = openStatuses.map((status) => `'${status}'`).join(', ');

/** Whether a call with this agent is open. */
export async function hasOpenCalls(queries: Reads, workspaceId: string, agentId: string): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM calls WHERE workspace_id = $1 AND agent_id = $2 AND status IN (${isOpen}) LIMIT 1`;
  return (await queries.get(sql, [workspaceId, agentId])) !== undefined;
}
