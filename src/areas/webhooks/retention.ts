import type { Database } from '../../storage/database.ts';

const dayMs = 24 * 3_600_000;
/** Rows removed per step, so that cleanup does not block writes for long. */
const rowsPerStep = 500;

/**
 * Removes what is older than the retention. Deliveries that are still to be sent are kept, with their events, except
 * tests, which only their own request would send.
 */
export function createRetention(database: Database, now: () => number, retentionDays: number) {
  const removeDeliveries = `DELETE FROM deliveries WHERE id IN
    (SELECT id FROM deliveries WHERE created_at < $1 AND (status <> 'pending' OR triggered_by = 'test') ORDER BY created_at LIMIT ${rowsPerStep})`;
  const oldEvents = `SELECT id FROM events WHERE created_at < $1 AND NOT EXISTS (
      SELECT 1 FROM deliveries WHERE deliveries.workspace_id = events.workspace_id
        AND deliveries.subject_id = events.subject_id AND event_id = events.id AND status = 'pending' AND triggered_by <> 'test')
    ORDER BY created_at LIMIT ${rowsPerStep}`;
  const chosen = database.dialect.textsIn('$1');
  const removeWebhooks = `DELETE FROM webhooks WHERE agent_deleted_at < $1 AND NOT EXISTS (
    SELECT 1 FROM deliveries
      WHERE deliveries.workspace_id = webhooks.workspace_id AND deliveries.webhook_id = webhooks.id)`;

  const removeEvents = (cutoff: number): Promise<number> =>
    database.transaction(async (queries) => {
      const rows = await queries.all<{ id: string }>(oldEvents, [cutoff]);
      const ids = JSON.stringify(rows.map(({ id }) => id));
      await queries.run(`DELETE FROM event_transcripts WHERE event_id IN (${chosen})`, [ids]);
      await queries.run(`DELETE FROM events WHERE id IN (${chosen})`, [ids]);
      return rows.length;
    });

  /** Resolves to true if there is more to remove. */
  return async (): Promise<boolean> => {
    const cutoff = now() - retentionDays * dayMs;
    const deliveries = await database.run(removeDeliveries, [cutoff]);
    const events = await removeEvents(cutoff);
    await database.run(removeWebhooks, [cutoff]);
    return deliveries === rowsPerStep || events === rowsPerStep;
  };
}
