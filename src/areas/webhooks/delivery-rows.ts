import type { Attempt, Delivery } from '../../contract/webhooks/delivery.ts';
import type { Row } from '../../storage/database.ts';

export interface DeliveryRow extends Row {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  status: string;
  reason: string | null;
  triggered_by: string;
  attempt: number;
  next_attempt_at: number | null;
  created_at: number;
  completed_at: number | null;
  lease_until: number | null;
}

export interface AttemptRow extends Row {
  delivery_id: string;
  number: number;
  started_at: number;
  duration_ms: number;
  url: string;
  outcome: string;
  status_code: number | null;
  response_body: string | null;
  error_message: string | null;
}

/** A row with its attempts, as the API returns it. */
export function deliveryOf(row: DeliveryRow, attempts: readonly AttemptRow[]): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type as Delivery['eventType'],
    status: row.status as Delivery['status'],
    reason: row.reason as Delivery['reason'],
    trigger: row.triggered_by as Delivery['trigger'],
    attemptCount: row.attempt,
    nextAttemptAt: timeOf(row.next_attempt_at),
    createdAt: new Date(row.created_at).toISOString(),
    completedAt: timeOf(row.completed_at),
    attempts: attempts.filter((attempt) => isShown(row, attempt)).map(attemptOf),
  };
}

/** Attempts are read after their delivery: one that ended in between is left out, as the rest does not show it yet. */
function isShown({ attempt, lease_until }: DeliveryRow, { number }: AttemptRow): boolean {
  return number < attempt || (number === attempt && lease_until === null);
}

function attemptOf(row: AttemptRow): Attempt {
  return {
    number: row.number,
    startedAt: new Date(row.started_at).toISOString(),
    durationMs: row.duration_ms,
    url: row.url,
    outcome: row.outcome as Attempt['outcome'],
    statusCode: row.status_code,
    responseBody: row.response_body,
    errorMessage: row.error_message,
  };
}

function timeOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

const attemptColumns = [
  'delivery_id',
  'number',
  'started_at',
  'duration_ms',
  'url',
  'outcome',
  'status_code',
  'response_body',
  'error_message',
];

/** Inserts several attempts at once. */
export function addAttemptsSql(count: number): string {
  const width = attemptColumns.length;
  const rows = Array.from({ length: count }, (_, row) =>
    attemptColumns.map((_name, index) => `$${row * width + index + 1}`),
  );
  return `INSERT INTO delivery_attempts (${attemptColumns}) VALUES ${rows.map((row) => `(${row})`)}`;
}
