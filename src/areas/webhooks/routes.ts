import { createHash } from 'node:crypto';
import { exampleBody } from '../../contract/webhooks/event-catalog.ts';
import type { EventType } from '../../contract/webhooks/events.ts';
import type { WebhookChanges } from '../../contract/webhooks/requests.ts';
import type { Webhook } from '../../contract/webhooks/webhook.ts';
import { notFound, resourceInUse, serviceUnavailable, unprocessable, validationFailed } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import { isSameJson } from '../../core/merge-patch.ts';
import { newWebhookSecret } from '../../core/webhook-signature.ts';
import { requireMatch } from '../../http/operations/conditions.ts';
import { addressIssue } from '../../net/address.ts';
import type { AllowedNetworks } from '../../net/networks.ts';
import type { Queries, Reads } from '../../storage/database.ts';
import { type AttemptParts, attemptDelivery } from './attempt.ts';
import type { DeliveryStore, WebhookKey } from './delivery-store.ts';
import type { Events } from './events.ts';
import type { WebhookHandlers } from './handlers.ts';
import type { HasOpenCalls } from './retention.ts';
import type { OpenedWebhook, WebhookStore } from './store.ts';
import { hostOf, newWebhook, validSecrets, withStatus } from './webhook.ts';

export interface WebhookRouteParts {
  readonly reads: Reads;
  readonly store: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly events: Events;
  readonly attempt: AttemptParts;
  readonly allowedNetworks: AllowedNetworks;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** Filters out ids that are not agents of the workspace. */
  readonly existingAgents: (
    queries: Queries,
    workspaceId: string,
    ids: readonly string[],
  ) => Promise<ReadonlySet<string>>;
  readonly hasOpenCalls: HasOpenCalls;
}

type Handlers = Pick<
  WebhookHandlers,
  | 'webhooks.create'
  | 'webhooks.list'
  | 'webhooks.get'
  | 'webhooks.update'
  | 'webhooks.delete'
  | 'webhooks.secret.get'
  | 'webhooks.secret.rotate'
  | 'webhooks.test'
>;

/** What belongs to the agent, and is changed there. */
const fieldsOfAgents = ['url', 'events', 'agentIds'] as const;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of short handlers.
export function webhookRoutes(parts: WebhookRouteParts): Handlers {
  const { reads, store, deliveries, events, attempt, allowedNetworks, newId, now, existingAgents } = parts;
  const timestamp = () => new Date(now()).toISOString();

  const open = async (queries: Reads, workspaceId: string, id: string): Promise<OpenedWebhook> => {
    const found = isId('whk', id) ? await store.open(queries, workspaceId, id) : undefined;
    if (found === undefined) throw notFound('webhook');
    return found;
  };
  const lock = async (queries: Queries, workspaceId: string, id: string): Promise<OpenedWebhook> => {
    const locked = isId('whk', id) ? await store.lock(queries, workspaceId, id) : undefined;
    if (locked === undefined) throw notFound('webhook');
    store.requireWritable(locked);
    return locked;
  };
  const checkAddress = (url: string): void => {
    const issue = addressIssue(url, { schemes: ['https'], allowedNetworks });
    if (issue !== undefined) throw validationFailed({ url: [issue] });
  };
  const checkAgents = async (queries: Queries, workspaceId: string, ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return;
    const known = await existingAgents(queries, workspaceId, ids);
    const unknown = ids.filter((id) => !known.has(id));
    if (unknown.length > 0) throw unprocessable({ agentIds: unknown.map((id) => `there is no agent ${id}`) });
  };

  /** Writes the test once, also if the request is repeated. */
  const beginTest = async (queries: Queries, webhook: WebhookKey, type: EventType, owner: string | null) => {
    const begun = owner === null ? undefined : await deliveries.unfinishedTest(queries, webhook, owner);
    if (begun !== undefined) return begun;
    const { workspaceId, id: webhookId } = webhook;
    const { data } = exampleBody(type);
    const {
      id: eventId,
      sequence,
      createdAt,
      body,
    } = await events.writeTest(queries, { ...webhook, webhookId, type, data });
    const deliveryId = newId('dlv');
    const delivery = {
      workspaceId,
      id: deliveryId,
      webhookId,
      eventId,
      eventType: type,
      subjectId: webhookId,
      sequence,
      // Sent again later, it goes to the address that the webhook has then.
      url: null,
      includesTranscript: false,
      trigger: 'test',
      replayId: null,
      createdAt,
    } as const;
    await deliveries.insert(queries, delivery, { delayMs: null, owner });
    return { deliveryId, eventId, body };
  };

  return {
    'webhooks.create': async ({ caller: { workspaceId }, body, queries }) => {
      const { url, events: names, agentIds, include, description } = body;
      checkAddress(url);
      await checkAgents(queries, workspaceId, agentIds);
      await store.requireRoom(queries, workspaceId);
      const fields = { url, description, events: names, agentIds, include };
      const webhook = newWebhook(newId('whk'), workspaceId, fields, timestamp());
      const secret = newWebhookSecret();
      const etag = await store.insert(queries, webhook, secret);
      return { body: { ...webhook, secret }, headers: { etag }, resourceId: webhook.id, resourceName: hostOf(webhook) };
    },

    'webhooks.list': async ({ caller, query, position, nextPage }) => {
      const { limit, ...filters } = query;
      return nextPage(await store.page(caller.workspaceId, position?.after ?? null, limit, filters));
    },

    'webhooks.get': async ({ caller, params }) => {
      const { webhook, etag } = await open(reads, caller.workspaceId, params.id);
      return { body: webhook, headers: { etag } };
    },

    'webhooks.update': async ({ caller: { workspaceId }, params: { id }, body, ifMatch, queries }) => {
      if (body.url !== undefined) checkAddress(body.url);
      const { webhook, etag } = await lock(queries, workspaceId, id);
      requireMatch(ifMatch, etag);
      checkKind(webhook, body);
      await checkAgents(queries, workspaceId, body.agentIds ?? []);
      const { status, ...fields } = body;
      const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
      const named = { ...webhook, ...given } as Webhook;
      const next = status === undefined ? named : withStatus(named, status, 'by_user');
      const resource = { resourceId: id, resourceName: hostOf(next) };
      if (isSameJson(next, webhook)) return { body: webhook, headers: { etag }, ...resource };
      const changed = { ...next, updatedAt: timestamp() };
      if (webhook.status === 'active' && changed.status !== 'active') {
        await deliveries.skipPending(queries, workspaceId, id, `webhook_${changed.status}`);
      }
      return { body: changed, headers: { etag: await store.replace(queries, changed) }, ...resource };
    },

    'webhooks.delete': async ({ caller: { workspaceId }, params: { id }, ifMatch, queries }) => {
      const locked = isId('whk', id) ? await store.lockForDeletion(queries, workspaceId, id) : undefined;
      if (locked === undefined) throw notFound('webhook');
      store.requireWritable(locked);
      const { webhook, etag, isAgentDeleted } = locked;
      requireMatch(ifMatch, etag);
      const { agentId } = webhook;
      if (agentId !== null && (!isAgentDeleted || (await parts.hasOpenCalls(queries, workspaceId, agentId)))) {
        throw resourceInUse('webhook', [agentId]);
      }
      await deliveries.removeAll(queries, workspaceId, id);
      await store.remove(queries, workspaceId, id);
      await events.forgetSubject(queries, workspaceId, id);
      return { body: { id, deleted: true }, resourceId: id, resourceName: hostOf(webhook) };
    },

    'webhooks.secret.get': async ({ caller, params: { id }, queries }) => {
      const { webhook, secret } = await open(queries, caller.workspaceId, id);
      const { secretRotatedAt, previousSecretExpiresAt } = webhook;
      const body = { secret, secretRotatedAt, previousSecretExpiresAt };
      return { body, resourceId: id, resourceName: hostOf(webhook) };
    },

    'webhooks.secret.rotate': async ({ caller, params: { id }, body: { graceSeconds }, queries }) => {
      const locked = await lock(queries, caller.workspaceId, id);
      const secret = newWebhookSecret();
      const previousSecretExpiresAt = graceSeconds === 0 ? null : new Date(now() + graceSeconds * 1000).toISOString();
      const at = timestamp();
      const webhook = { ...locked.webhook, secretRotatedAt: at, previousSecretExpiresAt, updatedAt: at };
      await store.rotateSecret(queries, webhook, secret, graceSeconds === 0 ? null : locked.secret);
      return { body: { secret, previousSecretExpiresAt }, resourceId: id, resourceName: hostOf(webhook) };
    },

    'webhooks.test': async ({ caller: { workspaceId }, params: { id }, body: { type }, begin, record, repeatKey }) => {
      const owner = repeatKey === null ? null : `test ${createHash('sha256').update(repeatKey).digest('hex')}`;
      const begun = await begin(async (queries) => {
        const opened = await lock(queries, workspaceId, id);
        const { url } = opened.webhook;
        if (url === null) throw unprocessable({}, ['the agent of the webhook has no webhookUrl']);
        const test = await beginTest(queries, { workspaceId, id }, type, owner);
        const result = { ...test, url, secrets: validSecrets(opened, now()) };
        return { resourceId: id, resourceName: hostOf(opened.webhook), result };
      });
      if (begun.saved !== null) return begun.saved;
      const { deliveryId, eventId, ...content } = begun.result;
      // A client that disconnects does not stop it: the attempt is short, and its result is in the list of deliveries.
      const result = await attemptDelivery(attempt, { ...content, eventId }, new AbortController().signal);
      if (result === null) throw serviceUnavailable('The service is shutting down.');
      return record(async (queries) => {
        const isRecorded = await deliveries.endTest(queries, deliveryId, result.outcome === 'succeeded');
        if (!isRecorded) throw notFound('webhook');
        await deliveries.addAttempts(queries, [{ deliveryId, number: 1, result }]);
        const { retryAfterMs: _, startedAt, ...rest } = result;
        const attempted = { number: 1, startedAt: new Date(startedAt).toISOString(), ...rest };
        return { body: { ...attempted, eventId, deliveryId }, resourceId: id };
      });
    },
  };
}

function checkKind({ kind }: Webhook, body: WebhookChanges): void {
  if (kind === 'workspace') return;
  const given = fieldsOfAgents.filter((name) => body[name] !== undefined);
  if (given.length === 0) return;
  throw unprocessable(Object.fromEntries(given.map((name) => [name, ['is set in the agent of this webhook']])));
}
