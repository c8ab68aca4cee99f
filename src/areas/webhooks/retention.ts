import type { Database, Reads } from '../../storage/database.ts';
import type { Events } from './events.ts';

const dayMs = 24 * 3_600_000;
/** Rows removed per step, so that cleanup does not block writes for long. */
const rowsPerStep = 500;

/** Whether a call with this agent is open. */
export type HasOpenCalls = (queries: Reads, workspaceId: string, agentId: string) => Promise<boolean>;

/**
 * Removes what is older than the retention. Deliveries that are still to be sent are kept, with their events, except
 * tests, which only their own request would send. The webhook of a deleted agent stays while a call of it is open: one
 * can be scheduled for a month ahead.
 */
export function createRetention(
  database: Database,
  now: () => number,
  retentionDays: number,
  hasOpenCalls: HasOpenCalls,
  forgetSubject: Events['forgetSubject'],
) {
  const removeDeliveries = `DELETE FROM deliveries WHERE id IN
    (SELECT id FROM deliveries WHERE created_at < $1 AND (status <> 'pending' OR triggered_by = 'test') ORDER BY created_at LIMIT ${rowsPerStep})`;
  const oldEvents = `SELECT id FROM events WHERE created_at < $1 AND NOT EXISTS (
      SELECT 1 FROM deliveries WHERE deliveries.workspace_id = events.workspace_id
        AND deliveries.subject_id = events.subject_id AND event_id = events.id AND status = 'pending' AND triggered_by <> 'test')
    ORDER BY created_at LIMIT ${rowsPerStep}`;
  const chosen = database.dialect.textsIn('$1');
  const isUnused = `NOT EXISTS (SELECT 1 FROM deliveries
    WHERE deliveries.workspace_id = webhooks.workspace_id AND deliveries.webhook_id = webhooks.id)`;
  const oldWebhooks = `SELECT workspace_id, id, agent_id FROM webhooks WHERE agent_deleted_at < $1 AND ${isUnused}
    AND doc_version <= ${database.documents.webhook.version}`;
  const removeWebhook = `DELETE FROM webhooks WHERE workspace_id = $1 AND id = $2 AND ${isUnused}`;

  const removeEvents = (cutoff: number): Promise<number> =>
    database.transaction(async (queries) => {
      const rows = await queries.all<{ id: string }>(oldEvents, [cutoff]);
      const ids = JSON.stringify(rows.map(({ id }) => id));
      await queries.write(`DELETE FROM event_transcripts WHERE event_id IN (${chosen})`, [ids]);
      await queries.write(`DELETE FROM events WHERE id IN (${chosen})`, [ids]);
      return rows.length;
    });

  const removeWebhooks = async (cutoff: number): Promise<void> => {
    const rows = await database.all<{ workspace_id: string; id: string; agent_id: string }>(oldWebhooks, [cutoff]);
    for (const { workspace_id: workspaceId, id, agent_id: agentId } of rows) {
      // No call can be created with a deleted agent, so that this stays false.
      if (await hasOpenCalls(database, workspaceId, agentId)) continue;
      await database.transaction(async (queries) => {
        if ((await queries.run(removeWebhook, [workspaceId, id])) > 0) await forgetSubject(queries, workspaceId, id);
      });
    }
  };

  /** Resolves to true if there is more to remove. */
  return async (): Promise<boolean> => {
    const cutoff = now() - retentionDays * dayMs;
    const deliveries = await database.run(removeDeliveries, [cutoff]);
    const events = await removeEvents(cutoff);
    await removeWebhooks(cutoff);
    return deliveries === rowsPerStep || events === rowsPerStep;
  };
}
