import type { Call } from '../../contract/calls/call.ts';
import type { Delivery } from '../../contract/webhooks/delivery.ts';
import { type ClaimedRow, createLeases } from '../../jobs/leases.ts';
import type { Source } from '../../jobs/source-slots.ts';
import type { Database, Queries, Reads, Row } from '../../storage/database.ts';
import { afterEveryId, maxPageBytes, type Page } from '../../storage/page.ts';
import type { AttemptResult } from './attempt.ts';
import { type AttemptRow, addAttemptsSql, type DeliveryRow, deliveryOf } from './delivery-rows.ts';
import { withTranscript } from './event-body.ts';

export type WebhookKey = Source;

/** A claimed delivery, ready to be sent. */
export interface DueDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly attempt: number;
  /** The address of the agent's version; null: that of the webhook. */
  readonly url: string | null;
  readonly body: string;
}

export interface NewDelivery {
  readonly workspaceId: string;
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly subjectId: string;
  readonly sequence: number;
  readonly url: string | null;
  readonly includesTranscript: boolean;
  readonly trigger: Delivery['trigger'];
  readonly replayId: string | null;
  readonly createdAt: number;
}

export interface DeliveryFilters {
  readonly status?: readonly string[] | undefined;
  readonly eventType?: readonly string[] | undefined;
  readonly trigger?: readonly string[] | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
}

export type SkipReason = 'webhook_paused' | 'webhook_disabled' | 'content_removed';

/** How a delivery goes on after an attempt. */
export type Settlement =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly reason: 'attempts_exhausted' | 'gone' | 'not_retried' }
  | { readonly status: 'pending'; readonly delayMs: number };

export interface NewAttempt {
  readonly deliveryId: string;
  readonly number: number;
  readonly result: AttemptResult;
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

/**
 * An event of a subject is first sent after the first attempts of all earlier ones have started. Those that this process
 * has claimed have; of those that another process has, that is known once an attempt is recorded. Attempts of a lost
 * process are not, and may never have started. `coalesce` keeps SQLite from looking through all deliveries of the webhook
 * instead of the few of the subject.
 */
const isInOrder = `(deliveries.attempt > 0 OR deliveries.triggered_by <> 'event' OR NOT EXISTS (
  SELECT 1 FROM deliveries AS earlier WHERE earlier.workspace_id = deliveries.workspace_id
    AND earlier.subject_id = deliveries.subject_id AND coalesce(earlier.webhook_id, '') = deliveries.webhook_id
    AND earlier.status = 'pending' AND earlier.triggered_by = 'event' AND earlier.sequence < deliveries.sequence
    AND (earlier.attempt = 0 OR (earlier.lease_owner <> $2
      AND NOT EXISTS (SELECT 1 FROM delivery_attempts WHERE delivery_attempts.delivery_id = earlier.id)))))`;

const columns = `id, webhook_id, event_id, event_type, status, reason, triggered_by, attempt, next_attempt_at, created_at,
  completed_at, lease_until`;

/** SQL for deliveries and their attempts. `clock` replaces that of PostgreSQL in tests. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createDeliveryStore(database: Database, now: () => number, clock: (() => number) | undefined) {
  const { dialect } = database;
  const leases = createLeases(
    database,
    {
      name: 'deliveries',
      runAt: 'next_attempt_at',
      isOpen: "status = 'pending'",
      among: `workspace_id = $5 AND webhook_id = $6 AND ${isInOrder}`,
      whenClaimed: null,
      whenReleased: null,
      columns: ['event_id', 'url'],
    },
    clock ?? (dialect.engine === 'sqlite' ? now : undefined),
  );
  const { time, dueAt, given } = leases;
  const chosen = dialect.textsIn('$1');

  const sql = {
    // A lease that has ended belongs to a process that is lost.
    inFlight: `SELECT count(*) AS count FROM deliveries
      WHERE webhook_id = $2 AND lease_until IS NOT NULL AND lease_until > ${time}`,
    bodies: `SELECT deliveries.id, events.body, CASE WHEN includes_transcript = 1 THEN event_transcripts.body END AS full_body,
        includes_transcript
      FROM deliveries LEFT JOIN events ON events.id = deliveries.event_id
        LEFT JOIN event_transcripts ON event_transcripts.event_id = deliveries.event_id
      WHERE deliveries.id IN (${chosen})`,
    insert: `INSERT INTO deliveries (next_attempt_at, workspace_id, id, webhook_id, event_id, event_type, subject_id,
          sequence, url, includes_transcript, triggered_by, replay_id, created_at, lease_owner, status, attempt)
      VALUES (${time} + $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'pending', 0)`,
    // In the order of their ids, so that transactions cannot deadlock. Shared: every webhook has deliveries of an event,
    // and those of a good one must not wait until those of a failing one are recorded.
    subjectsOf: `SELECT id, subject_type, body FROM events WHERE id IN (${chosen}) ORDER BY id ${dialect.forShare}`,
    skip: `UPDATE deliveries SET status = 'skipped', reason = $3, next_attempt_at = NULL, lease_owner = NULL,
        lease_until = NULL, completed_at = $4
      WHERE workspace_id = $1 AND webhook_id = $2 AND status = 'pending' AND triggered_by <> 'test'`,
    get: `SELECT ${columns} FROM deliveries WHERE workspace_id = $1 AND webhook_id = $2 AND id = $3`,
    attempts: `SELECT delivery_id, number, started_at, duration_ms, url, outcome, status_code, response_body, error_message
      FROM delivery_attempts WHERE delivery_id IN (${chosen}) ORDER BY delivery_id, number`,
    list: `SELECT ${columns} FROM deliveries WHERE workspace_id = $1 AND webhook_id = $2 AND id < $3
        AND ($4 = '[]' OR status IN (${dialect.textsIn('$4')}))
        AND ($5 = '[]' OR event_type IN (${dialect.textsIn('$5')}))
        AND ($6 = '[]' OR triggered_by IN (${dialect.textsIn('$6')}))
        AND created_at >= $7 AND created_at < $8 ORDER BY id DESC LIMIT $9`,
    source: `SELECT deliveries.event_id, deliveries.event_type, deliveries.subject_id, deliveries.sequence,
        deliveries.url, deliveries.includes_transcript, events.body IS NOT NULL AS has_body, events.created_at
      FROM deliveries LEFT JOIN events ON events.id = deliveries.event_id
      WHERE deliveries.workspace_id = $1 AND deliveries.webhook_id = $2 AND deliveries.id = $3`,
    endTest: `UPDATE deliveries SET status = $2, reason = $3, attempt = 1, lease_owner = NULL, completed_at = $4
      WHERE id = $1 AND status = 'pending' AND triggered_by = 'test'`,
    testOf: `SELECT deliveries.id, event_id, events.body FROM deliveries JOIN events ON events.id = deliveries.event_id
      WHERE deliveries.workspace_id = $1 AND webhook_id = $2 AND status = 'pending' AND triggered_by = 'test'
        AND lease_owner = $3 ORDER BY deliveries.id DESC LIMIT 1`,
    backlog: `SELECT count(*) AS count FROM deliveries WHERE status = 'pending' AND ${dueAt} <= ${time}`,
  };
  const countOf = async (queries: Reads, text: string, parameters: readonly (string | number | null)[]) =>
    Number((await queries.get<{ count: number }>(text, parameters))?.count ?? 0);

  const withAttempts = async (queries: Reads, rows: readonly DeliveryRow[]): Promise<Delivery[]> => {
    if (rows.length === 0) return [];
    const ids = JSON.stringify(rows.map(({ id }) => id));
    const attempts = Map.groupBy(await queries.all<AttemptRow>(sql.attempts, [ids]), ({ delivery_id }) => delivery_id);
    return rows.map((row) => deliveryOf(row, attempts.get(row.id) ?? []));
  };

  return {
    leases,

    /** How many deliveries of a webhook are being sent, by all processes. */
    inFlight: (queries: Queries, webhookId: string): Promise<number> =>
      countOf(queries, sql.inFlight, [given(), webhookId]),

    /** Claims deliveries that are due, with their content. Those whose content was removed are skipped. */
    claim: async (
      queries: Queries,
      { workspaceId, id: webhookId }: WebhookKey,
      { owner, leaseMs, limit }: { owner: string; leaseMs: number; limit: number },
    ): Promise<DueDelivery[]> => {
      const claim = { owner, leaseMs, limit, parameters: [workspaceId, webhookId] };
      const rows = await leases.claim<ClaimedDelivery>(queries, claim);
      if (rows.length === 0) return [];
      const ids = JSON.stringify(rows.map(({ id }) => id));
      const found = await queries.all<BodyRow>(sql.bodies, [ids]);
      const bodies = new Map(found.map((row) => [row.id, sentBody(row)]));
      const empty = rows.filter(({ id }) => (bodies.get(id) ?? null) === null).map(({ id }) => id);
      if (empty.length > 0) {
        const skipped = `status = 'skipped', reason = 'content_removed', next_attempt_at = NULL, attempt = attempt - 1,
          completed_at = ${time}`;
        await leases.settle(queries, owner, empty, skipped, []);
      }
      return rows.flatMap(({ id, attempt, event_id: eventId, url }) => {
        const body = bodies.get(id) ?? null;
        return body === null ? [] : [{ id, attempt, eventId, url, body }];
      });
    },

    /**
     * Ends the leases of claimed deliveries. Resolves to the ids of those whose lease was still held. One statement for
     * each kind of outcome: the webhook is locked meanwhile, and on PostgreSQL each statement waits for the server.
     */
    settle: async (
      queries: Queries,
      owner: string,
      settlements: readonly { readonly id: string; readonly settlement: Settlement }[],
    ): Promise<ReadonlySet<string>> => {
      const settled = new Set<string>();
      const settle = async (ids: readonly string[], assignments: string, parameters: readonly (string | number)[]) => {
        for (const id of await leases.settle(queries, owner, ids, assignments, parameters)) settled.add(id);
      };
      const kinds = Map.groupBy(settlements, ({ settlement }) =>
        settlement.status === 'failed' ? settlement.reason : settlement.status,
      );
      for (const [kind, alike] of kinds) {
        const ids = alike.map(({ id }) => id);
        const ended = `next_attempt_at = NULL, completed_at = ${time}`;
        if (kind === 'succeeded') await settle(ids, `status = 'succeeded', ${ended}`, []);
        else if (kind !== 'pending') await settle(ids, `status = 'failed', reason = $4, ${ended}`, [kind]);
        else {
          const delays = alike.flatMap(({ id, settlement }) => [
            id,
            settlement.status === 'pending' ? settlement.delayMs : 0,
          ]);
          await settle(ids, `next_attempt_at = ${time} + ${delayById(ids.length)}`, delays);
        }
      }
      return settled;
    },

    /**
     * The events whose responses may be stored, which stays true until the transaction ends. A receiver may repeat what
     * it got, so one about a call is kept only if everything of the call is.
     */
    keepingResponses: async (queries: Queries, eventIds: readonly string[]): Promise<ReadonlySet<string>> => {
      if (eventIds.length === 0) return new Set();
      const found = await queries.all<SubjectRow>(sql.subjectsOf, [JSON.stringify([...new Set(eventIds)])]);
      const events = new Map(found.map((event) => [event.id, event]));
      return new Set(eventIds.filter((id) => isResponseKept(events.get(id))));
    },

    /** Several at once: on PostgreSQL, each statement waits for the server. */
    addAttempts: async (queries: Queries, attempts: readonly NewAttempt[]): Promise<void> => {
      if (attempts.length === 0) return;
      const values = attempts.flatMap(({ deliveryId, number, result }) => {
        const { startedAt, durationMs, url, outcome, statusCode, responseBody, errorMessage } = result;
        return [deliveryId, number, startedAt, durationMs, url, outcome, statusCode, responseBody, errorMessage];
      });
      await queries.write(addAttemptsSql(attempts.length), values);
    },

    /** Adds a delivery that is due after the delay, or, with an owner, is sent by that one alone. */
    insert: async (
      queries: Queries,
      delivery: NewDelivery,
      { delayMs = 0, owner = null }: { delayMs?: number | null; owner?: string | null } = {},
    ): Promise<void> => {
      const { workspaceId, id, webhookId, eventId, eventType, subjectId, sequence, url } = delivery;
      const { includesTranscript, trigger, replayId, createdAt } = delivery;
      const event = [workspaceId, id, webhookId, eventId, eventType, subjectId, sequence, url];
      const rest = [Number(includesTranscript), trigger, replayId, createdAt, owner];
      await queries.write(sql.insert, [given(), delayMs, ...event, ...rest]);
    },

    /** A webhook became inactive: nothing of it is sent any more, except for tests. */
    skipPending: async (
      queries: Queries,
      workspaceId: string,
      webhookId: string,
      reason: SkipReason,
    ): Promise<void> => {
      await queries.write(sql.skip, [workspaceId, webhookId, reason, now()]);
    },

    get: async (queries: Reads, workspaceId: string, webhookId: string, id: string): Promise<Delivery | undefined> => {
      const row = await queries.get<DeliveryRow>(sql.get, [workspaceId, webhookId, id]);
      return row === undefined ? undefined : (await withAttempts(queries, [row]))[0];
    },

    /** Newest first, with one more than `limit` if there are more, up to the maximum size of a page. */
    page: async (
      { workspaceId, id }: WebhookKey,
      beforeId: string | null,
      limit: number,
      { status = [], eventType = [], trigger = [], createdAfter, createdBefore }: DeliveryFilters,
    ): Promise<Page<Delivery>> => {
      const lists = [status, eventType, trigger].map((values) => JSON.stringify(values));
      const times = [createdAfter ?? 0, createdBefore ?? Number.MAX_SAFE_INTEGER];
      const place = beforeId ?? afterEveryId;
      const rows = await database.all<DeliveryRow>(sql.list, [workspaceId, id, place, ...lists, ...times, limit + 1]);
      const found = await withAttempts(database, rows.slice(0, limit));
      let total = 0;
      const documents = found.map((delivery) => JSON.stringify(delivery));
      const fitting = documents.filter((document, index) => {
        total += Buffer.byteLength(document);
        return index === 0 || total <= maxPageBytes;
      });
      const hasMore = rows.length > fitting.length;
      return { items: Buffer.from(fitting.join(',')), next: hasMore ? (found[fitting.length - 1]?.id ?? null) : null };
    },

    /** What a delivery sends, to send it again. */
    source: async (queries: Reads, { workspaceId, id }: WebhookKey, deliveryId: string) => {
      const row = await queries.get<SourceRow>(sql.source, [workspaceId, id, deliveryId]);
      if (row === undefined) return undefined;
      return {
        eventId: row.event_id,
        eventType: row.event_type,
        subjectId: row.subject_id,
        sequence: row.sequence,
        url: row.url,
        includesTranscript: row.includes_transcript === 1,
        hasBody: Boolean(row.has_body),
        /** Null: the event is no longer kept. */
        eventCreatedAt: row.created_at,
      };
    },

    /** The test that a request with this owner has begun and not ended. */
    unfinishedTest: async (queries: Queries, { workspaceId, id }: WebhookKey, owner: string) => {
      const row = await queries.get<{ id: string; event_id: string; body: string }>(sql.testOf, [
        workspaceId,
        id,
        owner,
      ]);
      return row === undefined ? undefined : { deliveryId: row.id, eventId: row.event_id, body: row.body };
    },

    /** Records a test. Resolves to false if its webhook was deleted meanwhile. */
    endTest: async (queries: Queries, id: string, hasSucceeded: boolean): Promise<boolean> => {
      const [status, reason] = hasSucceeded ? ['succeeded', null] : ['failed', 'not_retried'];
      return (await queries.run(sql.endTest, [id, status as string, reason as string | null, now()])) > 0;
    },

    removeAll: async (queries: Queries, workspaceId: string, webhookId: string): Promise<void> => {
      await queries.write('DELETE FROM deliveries WHERE workspace_id = $1 AND webhook_id = $2', [
        workspaceId,
        webhookId,
      ]);
    },

    /** How many deliveries of all workspaces are due. */
    backlog: () => countOf(database, sql.backlog, [given()]),
  };
}

/** The delay of a row, from pairs of id and delay in the parameters from $4 on. */
function delayById(count: number): string {
  const cases = Array.from({ length: count }, (_, index) => {
    const [id, delayMs] = [4 + index * 2, 5 + index * 2];
    return `WHEN $${id} THEN CAST($${delayMs} AS BIGINT)`;
  });
  return `CASE id ${cases.join(' ')} END`;
}

/** A webhook that includes the transcript is told if it was removed since. */
function sentBody({ body, full_body, includes_transcript }: BodyRow): string | null {
  if (includes_transcript === 0 || body === null) return body;
  return full_body ?? withTranscript(body, null);
}

interface BodyRow extends Row {
  id: string;
  body: string | null;
  full_body: string | null;
  includes_transcript: number;
}

function isResponseKept(event: SubjectRow | undefined): boolean {
  if (event?.subject_type !== 'call') return true;
  const { call } = event.body === null ? {} : (JSON.parse(event.body).data as { call?: Call });
  return call?.dataStorageSetting === 'everything';
}

interface SubjectRow extends Row {
  id: string;
  subject_type: string;
  body: string | null;
}

interface SourceRow extends Row {
  event_id: string;
  event_type: string;
  subject_id: string;
  sequence: number;
  url: string | null;
  includes_transcript: number;
  has_body: unknown;
  created_at: number | null;
}

interface ClaimedDelivery extends ClaimedRow {
  readonly event_id: string;
  readonly url: string | null;
}
