import { type EventBody, type EventType, subjectOfEvent } from '../../contract/webhooks/events.ts';
import type { Webhook } from '../../contract/webhooks/webhook.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { Database, Dialect, Queries, Row } from '../../storage/database.ts';
import { callEventJson, type EventHead, eventJson, rewrittenJson, withTranscript } from './event-body.ts';
import type { WebhookStore } from './store.ts';

export interface NewEvent {
  readonly workspaceId: string;
  readonly type: EventType;
  readonly subjectId: string;
  /** Null: the next number of the subject. Calls count their own. */
  readonly sequence: number | null;
  /** The agent that the event is about, for webhooks of some agents only. */
  readonly agentId: string | null;
  /** Where the agent itself wants the event: of the version that the call is pinned to. Null: nowhere. */
  readonly agentWebhook: { readonly url: string | null; readonly events: readonly string[] } | null;
  /** `data` of the body. For `call_ended` and `call_analyzed` the call alone: the rest is added. */
  readonly data: object;
  /** For `call_ended` and `call_analyzed`. Called if a webhook includes the transcript; null if it is not stored. */
  readonly transcript?: () => MaybePromise<object | null>;
}

export interface WrittenEvent extends NewEvent {
  readonly id: string;
  readonly sequence: number;
  readonly createdAt: number;
}

type StoredEvent = Pick<
  WrittenEvent,
  'workspaceId' | 'id' | 'type' | 'subjectId' | 'sequence' | 'agentId' | 'createdAt'
>;

export interface TestEvent {
  readonly workspaceId: string;
  readonly webhookId: string;
  readonly type: EventType;
  readonly data: object;
}

export interface TestedEvent {
  readonly id: string;
  readonly sequence: number;
  readonly createdAt: number;
  readonly body: string;
}

export type TranscriptOf = (queries: Queries, workspaceId: string, callId: string) => Promise<object | null>;

/** Called in the transaction of each event, after it was written. */
export type EventListener = (queries: Queries, event: WrittenEvent) => MaybePromise<void>;

/** Returns what is left of a body once content was removed, or null if nothing is. */
export type ReduceBody = (body: EventBody) => object | null;

export type Events = ReturnType<typeof createEvents>;

interface EventParts {
  readonly database: Database;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** Replaces the clock of PostgreSQL in tests. */
  readonly clock: (() => number) | undefined;
  readonly subscribers: WebhookStore['subscribers'];
  readonly transcriptOf: TranscriptOf;
  readonly listeners: readonly EventListener[];
  /** Called at the end of each transaction with events of the workspace, committed or not. */
  readonly onWritten: (workspaceId: string) => void;
}

/** Writes events, and the deliveries that send them to webhooks, in the transaction of their cause. */
export function createEvents(parts: EventParts) {
  const { database, newId, now, clock, subscribers, transcriptOf, listeners, onWritten } = parts;
  const { dialect } = database;
  const kind = database.documents.eventBody;
  const clockGiven = (): number | null => clock?.() ?? (dialect.engine === 'sqlite' ? now() : null);
  const addDeliveries = createEventDeliveries(dialect, newId, clockGiven);

  const nextSequence = async (queries: Queries, workspaceId: string, subjectId: string): Promise<number> => {
    const row = await queries.get<{ sequence: number }>(sql.nextSequence, [workspaceId, subjectId]);
    return (row as { sequence: number }).sequence;
  };

  /** The row itself comes last: its position locks the positions of the workspace until the commit. */
  const insert = async (queries: Queries, event: StoredEvent, body: string, isTest = false): Promise<void> => {
    const { workspaceId, id, type, subjectId, sequence, agentId, createdAt } = event;
    const row = await queries.get<{ position: number }>(sql.nextPosition, [workspaceId]);
    const { position } = row as { position: number };
    const subjectType = isTest ? 'webhook' : subjectOfEvent(type);
    const own = [id, type, subjectType, subjectId, sequence, agentId, createdAt, body, kind.version, Number(isTest)];
    await queries.write(sql.insert, [workspaceId, position, ...own]);
  };

  /** Copies of what a call said, besides the bodies of its events. */
  const removeCopies = async (queries: Queries, workspaceId: string, callId: string): Promise<void> => {
    await queries.write(sql.removeTranscripts, [workspaceId, callId]);
    await queries.write(sql.clearResponses, [workspaceId, callId]);
  };

  return {
    /** Writes an event with a delivery for every webhook that wants it. Resolves to its id. */
    write: async (queries: Queries, event: NewEvent): Promise<string> => {
      const { workspaceId, type, agentWebhook, data, transcript } = event;
      const isForAgent = agentWebhook !== null && agentWebhook.url !== null && agentWebhook.events.includes(type);
      const webhooks = await subscribers(queries, workspaceId, isForAgent ? event.agentId : null);
      const matching = webhooks.filter((webhook) => wants(webhook, event));
      const sequence = event.sequence ?? (await nextSequence(queries, workspaceId, event.subjectId));
      const createdAt = now();
      const written = { ...event, id: newId('evt'), sequence, createdAt };
      const head: EventHead = { ...written, timestamp: new Date(createdAt).toISOString() };
      await addDeliveries(queries, written, matching);
      if (transcript !== undefined && matching.some(({ include }) => include.includes('transcript'))) {
        const body = callEventJson(head, data, await transcript(), true);
        await queries.write(sql.insertTranscript, [written.id, body]);
      }
      const body = transcript === undefined ? eventJson(head, data) : callEventJson(head, data, null, false);
      await queries.beforeCommit(() => insert(queries, written, body));
      for (const listener of listeners) await listener(queries, written);
      queries.atEnd(() => onWritten(workspaceId));
      return written.id;
    },

    /**
     * Stores the body with the transcript for a webhook that gets the event later than others. From then on it stays the
     * same, like the others.
     */
    addTranscript: async (queries: Queries, workspaceId: string, callId: string, eventId: string): Promise<void> => {
      if ((await queries.get(sql.hasTranscript, [eventId])) !== undefined) return;
      const transcript = await transcriptOf(queries, workspaceId, callId);
      const row = await queries.get<{ body: string | null }>(sql.bodyOf, [eventId]);
      if (row === undefined || row.body === null) return;
      await queries.write(sql.insertTranscript, [eventId, withTranscript(row.body, transcript)]);
    },

    /** Writes an example of an event, about the webhook that is tested. Nothing is sent, and nobody is notified. */
    writeTest: async (queries: Queries, { workspaceId, webhookId, type, data }: TestEvent): Promise<TestedEvent> => {
      const sequence = await nextSequence(queries, workspaceId, webhookId);
      const createdAt = now();
      const written = { id: newId('evt'), workspaceId, type, subjectId: webhookId, sequence, agentId: null, createdAt };
      const body = eventJson({ ...written, timestamp: new Date(createdAt).toISOString() }, data, true);
      await queries.beforeCommit(() => insert(queries, written, body, true));
      return { id: written.id, sequence, createdAt, body };
    },

    /** The subject was deleted and has no further events. */
    forgetSubject: async (queries: Queries, workspaceId: string, subjectId: string): Promise<void> => {
      await queries.write(sql.forgetSubject, [workspaceId, subjectId]);
    },

    /** After a call was redacted: reduces the bodies of its events, and removes other copies of its content. */
    redactCall: async (queries: Queries, workspaceId: string, callId: string, reduce: ReduceBody): Promise<void> => {
      const rows = await queries.all<BodyRow>(sql.bodiesOf, [workspaceId, callId]);
      for (const { id, body, body_version } of rows) {
        kind.requireWritable(body_version);
        const reduced = reduce(kind.parse(body, body_version));
        await queries.write(sql.setBody, [id, reduced === null ? null : rewrittenJson(reduced), kind.version]);
      }
      await removeCopies(queries, workspaceId, callId);
    },

    /** When a call is deleted, before its last event: removes its content, and sends no earlier event any more. */
    clearCall: async (queries: Queries, workspaceId: string, callId: string): Promise<void> => {
      await queries.write(sql.clearBodies, [workspaceId, callId]);
      await queries.write(sql.skipPending, [workspaceId, callId, now()]);
      await removeCopies(queries, workspaceId, callId);
    },
  };
}

interface BodyRow extends Row {
  id: string;
  body: string;
  body_version: number;
}

/** Whether a webhook gets an event. Those of agents are in the list only if their agent wants it. */
function wants(webhook: Webhook, { type, subjectId, agentId }: NewEvent): boolean {
  if (webhook.kind === 'agent') return true;
  if (webhook.id === subjectId) return false;
  // A call that no agent has taken belongs to none; other events without an agent concern all.
  const isForAll = agentId === null && subjectOfEvent(type) !== 'call';
  const isOfAgent = isForAll || webhook.agentIds.length === 0 || webhook.agentIds.some((id) => id === agentId);
  return isOfAgent && (webhook.events.includes(type) || webhook.events.includes('*'));
}

const eventsOf = 'SELECT id FROM events WHERE workspace_id = $1 AND subject_id = $2';

const sql = {
  nextSequence: `INSERT INTO event_subjects (workspace_id, subject_id, last_sequence) VALUES ($1, $2, 1)
      ON CONFLICT (workspace_id, subject_id) DO UPDATE SET last_sequence = event_subjects.last_sequence + 1
      RETURNING last_sequence AS sequence`,
  forgetSubject: 'DELETE FROM event_subjects WHERE workspace_id = $1 AND subject_id = $2',
  nextPosition: `INSERT INTO event_positions (workspace_id, last_position) VALUES ($1, 1)
      ON CONFLICT (workspace_id) DO UPDATE SET last_position = event_positions.last_position + 1
      RETURNING last_position AS position`,
  insert: `INSERT INTO events
        (workspace_id, position, id, type, subject_type, subject_id, sequence, agent_id, created_at, body,
          body_version, is_test)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
  insertTranscript: 'INSERT INTO event_transcripts (event_id, body) VALUES ($1, $2) ON CONFLICT DO NOTHING',
  hasTranscript: 'SELECT 1 AS one FROM event_transcripts WHERE event_id = $1',
  bodyOf: 'SELECT body FROM events WHERE id = $1',
  bodiesOf: `SELECT id, body, body_version FROM events WHERE workspace_id = $1 AND subject_id = $2 AND body IS NOT NULL
      ORDER BY sequence`,
  setBody: 'UPDATE events SET body = $2, body_version = $3 WHERE id = $1',
  clearBodies: 'UPDATE events SET body = NULL WHERE workspace_id = $1 AND subject_id = $2',
  skipPending: `UPDATE deliveries SET status = 'skipped', reason = 'content_removed', next_attempt_at = NULL,
        lease_owner = NULL, lease_until = NULL, completed_at = $3
      WHERE workspace_id = $1 AND subject_id = $2 AND status = 'pending'`,
  removeTranscripts: `DELETE FROM event_transcripts WHERE event_id IN (${eventsOf})`,
  clearResponses: `UPDATE delivery_attempts SET response_body = NULL
      WHERE delivery_id IN (SELECT id FROM deliveries WHERE workspace_id = $1 AND subject_id = $2)`,
};

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
function createEventDeliveries(
  { clock, textsIn, forReference }: Dialect,
  newId: (prefix: string) => string,
  given: () => number | null,
) {
  const time = clock('$1');
  // Webhooks may have been deleted since they were read.
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
