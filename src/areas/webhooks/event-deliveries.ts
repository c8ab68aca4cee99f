import type { Webhook } from '../../contract/webhooks/webhook.ts';
import type { Dialect, Queries } from '../../storage/database.ts';

/** What a delivery needs of its event. */
interface AddressedEvent {
  readonly workspaceId: string;
  readonly id: string;
  readonly type: string;
  readonly subjectId: string;
  readonly sequence: number;
  readonly createdAt: number;
  readonly agentWebhook: { readonly url: string | null } | null;
  readonly transcript?: unknown;
}

const shared = ['workspace_id', 'event_id', 'event_type', 'subject_id', 'sequence', 'created_at'];
const own = ['id', 'webhook_id', 'url', 'includes_transcript', 'status', 'reason', 'completed_at'];
const statusIndex = own.indexOf('status');

/**
 * Adds the deliveries of a new event: pending, or skipped if the webhook is not active. One statement for all of them:
 * the cause waits for it, and on PostgreSQL each statement is a round trip.
 */
export function createEventDeliveries(
  { clock, textsIn, forReference }: Dialect,
  newId: (prefix: string) => string,
  given: () => number | null,
) {
  const time = clock('$1');
  // Not those that have been deleted since they were read.
  const existingSql = `SELECT id FROM webhooks WHERE workspace_id = $1 AND id IN (${textsIn('$2')}) ${forReference}`;
  const insertSql = (count: number): string => {
    const first = shared.map((_, index) => `$${2 + index}`);
    const rows = Array.from({ length: count }, (_, row) => {
      const values = own.map((_name, index) => `$${2 + shared.length + row * own.length + index}`);
      return `(${[...first, ...values]}, CASE WHEN ${values[statusIndex]} = 'pending' THEN ${time} END, 'event', 0)`;
    });
    return `INSERT INTO deliveries (${[...shared, ...own]}, next_attempt_at, triggered_by, attempt) VALUES ${rows}`;
  };

  return async (queries: Queries, event: AddressedEvent, webhooks: readonly Webhook[]): Promise<void> => {
    if (webhooks.length === 0) return;
    const { workspaceId, id, type, subjectId, sequence, agentWebhook, createdAt, transcript } = event;
    const ids = JSON.stringify(webhooks.map((webhook) => webhook.id));
    const rows = await queries.all<{ id: string }>(existingSql, [workspaceId, ids]);
    const existing = new Set(rows.map((row) => row.id));
    const addressed = webhooks.filter((webhook) => existing.has(webhook.id));
    if (addressed.length === 0) return;
    const values = addressed.flatMap((webhook) => {
      const url = webhook.kind === 'agent' ? (agentWebhook?.url ?? null) : null;
      const hasTranscript = transcript !== undefined && webhook.include.includes('transcript');
      const head = [newId('dlv'), webhook.id, url, Number(hasTranscript)];
      return webhook.status === 'active'
        ? [...head, 'pending', null, null]
        : [...head, 'skipped', `webhook_${webhook.status}`, createdAt];
    });
    const what = [workspaceId, id, type, subjectId, sequence, createdAt];
    await queries.write(insertSql(addressed.length), [given(), ...what, ...values]);
  };
}
