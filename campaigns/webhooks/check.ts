import { verifyWebhook } from '../../sdk/src/index.ts';
import type { Database, Row } from '../../src/storage/database.ts';
import { type Arrival, type ReceiverName, type Receivers, reliable, retryAfterSeconds } from './receivers.ts';
import { arrivalSlackMs, leaseMs, retryDelaysMs } from './settings.ts';

export interface Target {
  readonly name: ReceiverName;
  readonly id: string;
  readonly secret: string;
}

interface StoredEvent extends Row {
  id: string;
  subject_id: string;
  sequence: number;
  created_at: number;
}

interface StoredDelivery extends Row {
  id: string;
  event_id: string;
  status: string;
  reason: string | null;
  /** Those of processes that were killed count, too. */
  attempt: number;
  recorded: number;
}

interface Parts {
  readonly database: Database;
  readonly workspaceId: string;
  readonly targets: readonly Target[];
  readonly receivers: Receivers;
  /** When processes were killed. */
  readonly killsMs: readonly number[];
  readonly found: (what: string) => void;
}

/** Compares the database with what the receivers have seen. */
export async function checkAll(parts: Parts): Promise<{ events: number; attempts: number }> {
  const { database, workspaceId, targets, receivers, found } = parts;
  const events = await database.all<StoredEvent>(
    'SELECT id, subject_id, sequence, created_at FROM events WHERE workspace_id = $1 AND is_test = 0 ORDER BY position',
    [workspaceId],
  );
  let attempts = 0;
  for (const target of targets) {
    const deliveries = await database.all<StoredDelivery>(
      `SELECT id, event_id, status, reason, attempt,
          (SELECT count(*) FROM delivery_attempts WHERE delivery_id = deliveries.id) AS recorded
        FROM deliveries WHERE webhook_id = $1 AND triggered_by = 'event'`,
      [target.id],
    );
    const arrivals = receivers.arrivals.get(target.name) ?? [];
    attempts += arrivals.length;
    const expected = reliable.includes(target.name) ? events : events.filter(({ id }) => !receivers.calm.has(id));
    checkDeliveries(target, expected, deliveries, arrivals, found);
    checkBytes(target, arrivals, parts);
    checkOrder(target, events, arrivals, parts);
    await checkSignatures(target, arrivals, found);
  }
  if (receivers.trapped > 0) found('a redirect was followed');
  return { events: events.length, attempts };
}

function checkDeliveries(
  { name }: Target,
  events: readonly StoredEvent[],
  deliveries: readonly StoredDelivery[],
  arrivals: readonly Arrival[],
  found: (what: string) => void,
): void {
  const byEvent = Map.groupBy(deliveries, ({ event_id }) => event_id);
  const accepted = new Set(arrivals.filter(({ isAccepted }) => isAccepted).map(({ eventId }) => eventId));
  for (const { id } of events) {
    const [delivery, ...more] = byEvent.get(id) ?? [];
    // The webhook that is gone writes an event about itself, which is not for itself.
    if (delivery === undefined) {
      if (name !== 'gone') found(`${name}: an event has no delivery`);
      continue;
    }
    if (more.length > 0) found(`${name}: an event has several deliveries`);
    const { status, reason, attempt, recorded } = delivery;
    const most = retryDelaysMs.length + 1;
    if (status === 'succeeded' && !accepted.has(id)) found(`${name}: a delivery succeeded that was not accepted`);
    if (reason === 'attempts_exhausted' && attempt < most) found(`${name}: a delivery was given up too early`);
    if (Number(recorded) > most) found(`${name}: a delivery has ${recorded} attempts`);
    if (status === 'succeeded' && Number(recorded) === 0) found(`${name}: a delivery has no attempt`);
    if (status === 'skipped' && name !== 'gone') found(`${name}: a delivery was skipped`);
    if (reliable.includes(name) && status !== 'succeeded') found(`${name}: a delivery is ${status} (${reason})`);
  }
}

function checkBytes({ name }: Target, arrivals: readonly Arrival[], { killsMs, found }: Parts): void {
  const seen = new Map<string, string>();
  for (const { eventId, body } of arrivals) {
    if ((seen.get(eventId) ?? body) !== body) found(`${name}: the same event arrived with different bytes`);
    seen.set(eventId, body);
    if (JSON.parse(body).id !== eventId) found(`${name}: the id of the request is not that of the event`);
  }
  if (name !== 'busy') return;
  for (const own of Map.groupBy(arrivals, ({ eventId }) => eventId).values()) {
    const [first, second] = own;
    if (first === undefined || second === undefined || first.isAccepted) continue;
    // A process that is killed before it has recorded the response does not know of it.
    if (killsMs.some((killMs) => killMs >= first.atMs && killMs <= second.atMs)) continue;
    if (second.atMs - first.atMs < retryAfterSeconds * 1000 - 50) found('busy: Retry-After was not respected');
  }
}

/**
 * First arrivals of a subject in order. A process that was killed may have begun two attempts of which only the second
 * got out, so that those shortly after a kill do not count.
 */
function checkOrder(
  { name }: Target,
  events: readonly StoredEvent[],
  arrivals: readonly Arrival[],
  { killsMs, found }: Parts,
): void {
  const first = new Map<string, number>();
  for (const { eventId, atMs } of arrivals) if (!first.has(eventId)) first.set(eventId, atMs);
  for (const own of Map.groupBy(events, ({ subject_id }) => subject_id).values()) {
    const inOrder = own.toSorted((one, other) => one.sequence - other.sequence);
    for (const [index, event] of inOrder.entries()) {
      const [before, at] = [first.get(inOrder[index - 1]?.id ?? ''), first.get(event.id)];
      if (before === undefined || at === undefined || at + arrivalSlackMs >= before) continue;
      if (killsMs.some((killMs) => killMs > at - arrivalSlackMs && killMs < at + leaseMs * 2)) continue;
      found(`${name}: the first attempts of a subject are out of order`);
    }
  }
}

async function checkSignatures(
  { name, secret }: Target,
  arrivals: readonly Arrival[],
  found: (what: string) => void,
): Promise<void> {
  for (const { eventId, timestamp, signature, body, atMs } of arrivals) {
    const headers = { 'webhook-id': eventId, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    try {
      await verifyWebhook(body, headers, secret, { now: () => atMs });
    } catch {
      found(`${name}: a signature is invalid`);
    }
  }
}

/** From the commit of an event to its first arrival. */
export function delaysOf(
  events: readonly { readonly id: string; readonly created_at: number }[],
  arrivals: readonly Arrival[],
): number[] {
  const first = new Map<string, number>();
  for (const { eventId, atMs } of arrivals) if (!first.has(eventId)) first.set(eventId, atMs);
  return events.flatMap(({ id, created_at }) => {
    const at = first.get(id);
    return at === undefined ? [] : [at - created_at];
  });
}
