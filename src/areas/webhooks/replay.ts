import { setTimeout as delay } from 'node:timers/promises';
import type { EventType } from '../../contract/webhooks/events.ts';
import type { ReplayRequest } from '../../contract/webhooks/requests.ts';
import type { Webhook } from '../../contract/webhooks/webhook.ts';
import type { JobKind } from '../../jobs/kind.ts';
import type { Database, Queries, Reads, Row, Value } from '../../storage/database.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Events } from './events.ts';
import type { WebhookStore } from './store.ts';

/** What a replay sends, as stored in its job. */
export interface Replay {
  readonly id: string;
  readonly workspaceId: string;
  readonly webhookId: string;
  readonly since: number;
  readonly until: number;
  readonly statuses: ReplayRequest['statuses'];
  /** Empty: all. */
  readonly eventTypes: readonly string[];
  /** The newest event when the replay was requested. */
  readonly lastPosition: number;
}

export interface ReplayParts {
  readonly database: Database;
  readonly store: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly events: Pick<Events, 'addTranscript'>;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** Deliveries were added. */
  readonly onAdded: () => void;
}

/** 20 per second. */
const gapMs = 50;
const batch = 100;
const pollMs = 250;
const typesWithTranscript: ReadonlySet<string> = new Set(['call_ended', 'call_analyzed'] satisfies EventType[]);

/** An event of a replay is sent once: deliveries that the replay has made itself do not count as the last ones. */
const candidates = `FROM events LEFT JOIN deliveries AS last ON last.id = (
    SELECT other.id FROM deliveries AS other WHERE other.workspace_id = events.workspace_id
      AND other.subject_id = events.subject_id AND other.event_id = events.id AND other.webhook_id = $2
      AND other.triggered_by <> 'test' AND coalesce(other.replay_id, '') <> $3
    ORDER BY other.created_at DESC, other.id DESC LIMIT 1)
  WHERE events.workspace_id = $1 AND events.position > $4 AND events.position <= $5 AND events.is_test = 0
    AND events.body IS NOT NULL AND events.created_at >= $6 AND events.created_at < $7
    AND coalesce(last.url, $8) <> ''`;

/** Sends many events to a webhook again. A replay is a job that adds deliveries, and goes on where it was after a crash. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createReplays({ database, store, deliveries, events, newId, now, onAdded }: ReplayParts) {
  const { textsIn } = database.dialect;
  const isOfType = `($9 = '[]' OR events.type IN (${textsIn('$9')}))`;
  const hasStatus = `last.status IN (${textsIn('$10')})`;
  const isSubscribed = `($10 = '["*"]' OR events.type IN (${textsIn('$10')})) AND events.subject_id <> $2
    AND ($11 = '[]' OR events.agent_id IS NULL OR events.agent_id IN (${textsIn('$11')}))`;
  const matching = (isAll: boolean) => `${candidates} AND ${isOfType} AND ${isAll ? isSubscribed : hasStatus}`;

  const valuesOf = (replay: Replay, webhook: Webhook, after: number): Value[] => {
    const { id, workspaceId, webhookId, since, until, statuses, eventTypes, lastPosition } = replay;
    const range = [workspaceId, webhookId, id, after, lastPosition, since, until, webhook.url ?? ''];
    const types = JSON.stringify(eventTypes);
    if (statuses !== 'all') return [...range, types, JSON.stringify(statuses)];
    const agents = webhook.kind === 'agent' ? [webhook.agentId] : webhook.agentIds;
    return [...range, types, JSON.stringify(webhook.events), JSON.stringify(agents)];
  };

  /** The position of the last event that it has added a delivery for. */
  const reached = async (queries: Reads, replayId: string): Promise<number> => {
    const sql = `SELECT max(position) AS position FROM deliveries JOIN events ON events.id = deliveries.event_id
      WHERE replay_id = $1`;
    return (await queries.get<{ position: number | null }>(sql, [replayId]))?.position ?? 0;
  };

  const addSome = async (queries: Queries, replay: Replay, webhook: Webhook): Promise<number> => {
    const waiting = await queries.get(
      "SELECT 1 AS one FROM deliveries WHERE replay_id = $1 AND status = 'pending' AND attempt = 0 LIMIT 1",
      [replay.id],
    );
    // The earlier ones have not been sent yet: more would be sent too fast once the receiver is back.
    if (waiting !== undefined) return 0;
    const rows = await queries.all<CandidateRow>(
      `SELECT events.id, events.type, events.subject_id, events.sequence, last.id AS last_id, last.url,
          last.includes_transcript
        ${matching(replay.statuses === 'all')} ORDER BY events.position LIMIT ${batch}`,
      valuesOf(replay, webhook, await reached(queries, replay.id)),
    );
    const isAgents = webhook.kind === 'agent';
    for (const [index, row] of rows.entries()) {
      const isFirst = row.last_id === null;
      // The transcript was not added when the event was written. Later deliveries get the same bytes as the first.
      const isAdded = isFirst && typesWithTranscript.has(row.type) && webhook.include.includes('transcript');
      if (isAdded) await events.addTranscript(queries, replay.workspaceId, row.subject_id, row.id);
      const delivery = {
        workspaceId: replay.workspaceId,
        id: newId('dlv'),
        webhookId: webhook.id,
        eventId: row.id,
        eventType: row.type,
        subjectId: row.subject_id,
        sequence: row.sequence,
        url: isAgents ? (row.url ?? webhook.url) : null,
        includesTranscript: isAdded || row.includes_transcript === 1,
        trigger: 'replay',
        replayId: replay.id,
        createdAt: now(),
      } as const;
      await deliveries.insert(queries, delivery, { delayMs: index * gapMs });
    }
    return rows.length === 0 ? -1 : rows.length;
  };

  /** Resolves to the number of deliveries that were added, 0 if it is too early, or -1 if the replay is over. */
  const step = (replay: Replay): Promise<number> =>
    database.transaction(async (queries) => {
      const locked = await store.lock(queries, replay.workspaceId, replay.webhookId);
      return locked?.webhook.status === 'active' ? addSome(queries, replay, locked.webhook) : -1;
    });

  const kind: JobKind<Replay> = {
    name: 'webhook replay',
    maxAttempts: 1000,
    retryDelaysMs: [1000, 5000, 30_000],
    timeoutMs: 2 ** 31 - 1,
    concurrency: 100,
    // A replay can take hours.
    concurrencyPerWorkspace: 50,
    run: async ({ payload: replay }, { signal }) => {
      for (;;) {
        signal.throwIfAborted();
        const added = await step(replay);
        if (added < 0) return;
        if (added > 0) onAdded();
        await delay(Math.max(pollMs, added * gapMs), undefined, { signal, ref: false });
      }
    },
  };

  return {
    kind,

    /** How many events it sends. */
    count: async (queries: Reads, replay: Replay, webhook: Webhook): Promise<number> => {
      const sql = `SELECT count(*) AS count ${matching(replay.statuses === 'all')}`;
      const row = await queries.get<{ count: number }>(sql, valuesOf(replay, webhook, 0));
      return Number(row?.count ?? 0);
    },

    newestPosition: async (queries: Reads, workspaceId: string): Promise<number> => {
      const sql = 'SELECT last_position FROM event_positions WHERE workspace_id = $1';
      return (await queries.get<{ last_position: number }>(sql, [workspaceId]))?.last_position ?? 0;
    },
  };
}

interface CandidateRow extends Row {
  id: string;
  type: string;
  subject_id: string;
  sequence: number;
  last_id: string | null;
  url: string | null;
  includes_transcript: number | null;
}
