import type { Agent } from '../../../contract/agents/agent.ts';
import type { Database } from '../../../storage/database.ts';
import { openList } from '../record/store.ts';

/** Events of calls that are over. */
const laterEvents = ['call_analyzed', 'call_deleted'] as const;
/** Agents that are looked at per step. */
const batchSize = 100;

/**
 * Removes the agents that no call needs any more, a batch at a time. A call needs the agent that it was created with to
 * continue and, if a webhook of the agent is told of what happens after calls, to report its own. Resolves to true if
 * there are more.
 */
export function createAgentRemoval(database: Database): () => Promise<boolean> {
  const { forUpdate } = database.dialect;
  let last: { readonly workspace_id: string; readonly digest: string } | undefined;

  const removeIfUnused = (workspaceId: string, digest: string): Promise<void> =>
    database.transaction(async (queries) => {
      // Locked first: a call that is being created holds the row, and is seen by the next statement.
      const row = await queries.get<{ doc: string; doc_version: number }>(
        `SELECT doc, doc_version FROM call_agents WHERE workspace_id = $1 AND digest = $2 ${forUpdate}`,
        [workspaceId, digest],
      );
      if (row === undefined) return;
      const agent = database.documents.agent.parse<Agent>(row.doc, row.doc_version);
      const user = await queries.get(reportsLater(agent) ? usersSql.ofAgent : usersSql.open, [
        workspaceId,
        reportsLater(agent) ? agent.id : digest,
      ]);
      if (user !== undefined) return;
      await queries.write('DELETE FROM call_agents WHERE workspace_id = $1 AND digest = $2', [workspaceId, digest]);
    });

  return async () => {
    const { workspace_id: workspaceId = '', digest = '' } = last ?? {};
    const rows = await database.all<{ workspace_id: string; digest: string }>(
      `SELECT workspace_id, digest FROM call_agents WHERE (workspace_id, digest) > ($1, $2)
        ORDER BY workspace_id, digest LIMIT $3 + 0`,
      [workspaceId, digest, batchSize],
    );
    for (const row of rows) await removeIfUnused(row.workspace_id, row.digest);
    last = rows.length < batchSize ? undefined : rows.at(-1);
    return last !== undefined;
  };
}

/**
 * Whether a call uses an agent, each answered by the first entry of an index. Calls that are over are found by the agent
 * and not by its version, for which there is no index: old versions stay as long as their agent has any call.
 */
export const usersSql = {
  open: `SELECT 1 AS found FROM calls WHERE workspace_id = $1 AND agent_digest = $2 AND status IN (${openList}) LIMIT 1`,
  ofAgent: 'SELECT 1 AS found FROM calls WHERE workspace_id = $1 AND agent_id = $2 LIMIT 1',
};

function reportsLater({ webhookUrl = null, webhookEvents }: Agent): boolean {
  return webhookUrl !== null && laterEvents.some((event) => webhookEvents.includes(event));
}
