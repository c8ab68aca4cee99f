import type { Delivery } from '../../contract/webhooks/delivery.ts';
import type { ReplayRequest } from '../../contract/webhooks/requests.ts';
import type { Webhook } from '../../contract/webhooks/webhook.ts';
import { type FieldErrors, notFound, stateConflict, unprocessable, validationFailed } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { Queries, Reads } from '../../storage/database.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { WebhookHandlers } from './handlers.ts';
import type { createReplays, Replay } from './replay.ts';
import type { WebhookStore } from './store.ts';
import { hostOf } from './webhook.ts';

export interface DeliveryRouteParts {
  readonly reads: Reads;
  readonly store: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly replays: ReturnType<typeof createReplays>;
  readonly jobs: JobQueue;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly retentionMs: number;
  /** A delivery was added. */
  readonly onAdded: () => void;
}

type Handlers = Pick<
  WebhookHandlers,
  'webhooks.deliveries.list' | 'webhooks.deliveries.get' | 'webhooks.deliveries.resend' | 'webhooks.replay'
>;

export function deliveryRoutes(parts: DeliveryRouteParts): Handlers {
  const { reads, store, deliveries, replays, jobs, newId, now, retentionMs, onAdded } = parts;

  const find = async (queries: Reads, workspaceId: string, id: string): Promise<Webhook> => {
    const webhook = isId('whk', id) ? await store.find(queries, workspaceId, id) : undefined;
    if (webhook === undefined) throw notFound('webhook');
    return webhook;
  };
  const findDelivery = async (queries: Reads, webhook: Webhook, id: string): Promise<Delivery> => {
    const { workspaceId, id: webhookId } = webhook;
    const delivery = isId('dlv', id) ? await deliveries.get(queries, workspaceId, webhookId, id) : undefined;
    if (delivery === undefined) throw notFound('delivery');
    return delivery;
  };
  const lockActive = async (queries: Queries, workspaceId: string, id: string): Promise<Webhook> => {
    const locked = isId('whk', id) ? await store.lock(queries, workspaceId, id) : undefined;
    if (locked === undefined) throw notFound('webhook');
    return locked.webhook;
  };

  /** Checks the times of a replay, which depend on the clock and on how long events are kept. */
  const rangeOf = ({ since, until }: ReplayRequest): { since: number; until: number } => {
    // Without an end it is that of the events at this time, whatever the clocks of other instances say.
    const range = {
      since: Date.parse(since),
      until: until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until),
    };
    const issues: FieldErrors = {};
    if (range.since > now()) issues.since = ['must not be in the future'];
    else if (range.since < now() - retentionMs) issues.since = ['must be within the time that events are kept'];
    if (until !== undefined && range.until <= range.since) issues.until = ['must be after since'];
    if (Object.keys(issues).length > 0) throw validationFailed(issues);
    return range;
  };

  return {
    'webhooks.deliveries.list': async ({ caller, params, query, position, nextPage }) => {
      const webhook = await find(reads, caller.workspaceId, params.id);
      const { limit, cursor: _, ...filters } = query;
      return nextPage(await deliveries.page(webhook, position?.after ?? null, limit, filters));
    },

    'webhooks.deliveries.get': async ({ caller, params }) => ({
      body: await findDelivery(reads, await find(reads, caller.workspaceId, params.id), params.deliveryId),
    }),

    'webhooks.deliveries.resend': async ({ caller: { workspaceId }, params, queries }) => {
      const webhook = await lockActive(queries, workspaceId, params.id);
      const { deliveryId } = params;
      const source = isId('dlv', deliveryId) ? await deliveries.source(queries, webhook, deliveryId) : undefined;
      if (source === undefined) throw notFound('delivery');
      requireActive(webhook);
      const { hasBody, eventCreatedAt, ...content } = source;
      const isKept = eventCreatedAt !== null && eventCreatedAt >= now() - retentionMs;
      if (!isKept) throw unprocessable({}, ['the event is no longer kept']);
      if (!hasBody) throw unprocessable({}, ['the content of the event was removed']);
      const id = newId('dlv');
      const origin = { trigger: 'resend', replayId: null, createdAt: now() } as const;
      await deliveries.insert(queries, { ...content, workspaceId, id, webhookId: webhook.id, ...origin });
      queries.atEnd(onAdded);
      const named = {
        resourceId: id,
        resourceName: hostOf(webhook),
        sourceId: webhook.id,
        sourceName: hostOf(webhook),
      };
      return { body: await findDelivery(queries, webhook, id), ...named };
    },

    'webhooks.replay': async ({ caller: { workspaceId }, params, body, queries }) => {
      const range = rangeOf(body);
      const webhook = await lockActive(queries, workspaceId, params.id);
      requireActive(webhook);
      const replay: Replay = {
        id: newId('rpl'),
        workspaceId,
        webhookId: webhook.id,
        ...range,
        statuses: body.statuses,
        eventTypes: body.eventTypes ?? [],
        lastPosition: await replays.newestPosition(queries, workspaceId),
      };
      const job = { payload: replay, workspaceId, dedupeKey: webhook.id };
      if ((await jobs.add(queries, replays.kind, job)) === null) {
        throw stateConflict('webhook', { status: webhook.status, allowed: ['active'], reason: 'replay_running' });
      }
      const matched = await replays.count(queries, replay, webhook);
      return { body: { id: replay.id, matched }, resourceId: webhook.id, resourceName: hostOf(webhook) };
    },
  };
}

function requireActive({ status }: Webhook): void {
  if (status !== 'active') throw stateConflict('webhook', { status, allowed: ['active'] });
}
