import type { Logger } from 'pino';
import type { Webhook } from '../../contract/webhooks/webhook.ts';
import type { Database, Queries } from '../../storage/database.ts';
import type { AttemptResult } from './attempt.ts';
import type { DeliveryStore, DueDelivery, Settlement, WebhookKey } from './delivery-store.ts';
import type { Events } from './events.ts';
import { nextDelayMs } from './schedule.ts';
import type { WebhookStore } from './store.ts';
import { type WebhookHealth, withAttempt, withStatus } from './webhook.ts';

export interface OutcomeParts {
  readonly database: Database;
  readonly store: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly events: Events;
  readonly now: () => number;
  readonly logger: Logger;
  /** From 0 to 1, for the jitter of the schedule. */
  readonly random: () => number;
  readonly retryDelaysMs: readonly number[];
}

type DisableReason = 'failing' | 'gone';

/** A webhook that fails for this long, with at least so many failed attempts, is disabled. */
const maxFailingMs = 5 * 24 * 3_600_000;
const minFailures = 10;
const gone = 410;

export interface EndedAttempt {
  readonly delivery: DueDelivery;
  readonly result: AttemptResult;
}

/**
 * Records attempts of one webhook: the attempts, the deliveries, the webhook and what follows, in one transaction.
 * Resolves to the ids of the deliveries whose lease was still held: the results of the others do not count.
 */
export function createOutcomes(parts: OutcomeParts) {
  const { database, store, deliveries, events, now, logger, random, retryDelaysMs } = parts;

  const reasonToDisable = ({ webhook, failures }: WebhookHealth, isGone: boolean): DisableReason | null => {
    const { status, failingSince } = webhook;
    if (status !== 'active') return null;
    if (isGone) return 'gone';
    if (failingSince === null || now() - Date.parse(failingSince) < maxFailingMs) return null;
    return failures >= minFailures ? 'failing' : null;
  };

  const disabled = async (queries: Queries, webhook: Webhook, reason: DisableReason): Promise<Webhook> => {
    const { workspaceId, id } = webhook;
    await deliveries.skipPending(queries, workspaceId, id, 'webhook_disabled');
    await events.write(queries, {
      workspaceId,
      type: 'webhook_disabled',
      subjectId: id,
      sequence: null,
      agentId: null,
      agentWebhook: null,
      data: { webhookId: id, reason },
    });
    return { ...withStatus(webhook, 'disabled', reason), updatedAt: new Date(now()).toISOString() };
  };

  return async (
    owner: string,
    { workspaceId, id: webhookId }: WebhookKey,
    ended: readonly EndedAttempt[],
  ): Promise<ReadonlySet<string>> => {
    const settlements = ended.map(({ delivery: { id, attempt }, result }) => ({
      id,
      settlement: settlementOf(result, attempt, random(), retryDelaysMs),
    }));
    const answered = ended.filter(({ result }) => result.responseBody !== null).map(({ delivery }) => delivery.eventId);
    let reason: DisableReason | null = null;
    const recorded = await database.transaction(async (queries) => {
      reason = null;
      // Always in this order, so that transactions cannot wait for each other.
      const keeping = await deliveries.keepingResponses(queries, answered);
      const locked = await store.lock(queries, workspaceId, webhookId);
      if (locked === undefined) return new Set<string>();
      const settled = await deliveries.settle(queries, owner, settlements);
      const counting = ended.filter(({ delivery }) => settled.has(delivery.id));
      if (counting.length === 0) return settled;
      await deliveries.addAttempts(
        queries,
        counting.map(({ delivery: { id, eventId, attempt }, result }) => ({
          deliveryId: id,
          number: attempt,
          result: keeping.has(eventId) ? result : { ...result, responseBody: null },
        })),
      );
      const counted = counting.reduce<WebhookHealth>(
        (health, { result }) => withAttempt(health, result.outcome === 'succeeded', result.startedAt),
        locked,
      );
      const isGone = counting.some(
        ({ result }) => result.statusCode === gone && isAddressOf(locked.webhook, result.url),
      );
      if (!store.isWritable(locked)) return settled;
      const { webhook, failures } = counted;
      reason = reasonToDisable(counted, isGone);
      await store.replace(queries, reason === null ? webhook : await disabled(queries, webhook, reason), failures);
      return settled;
    });
    if (reason !== null) logger.warn({ workspaceId, webhookId, reason }, 'webhook disabled');
    return recorded;
  };
}

/** The address of a webhook may have changed during the attempt. Calls use the address that their version has. */
function isAddressOf({ kind, url }: Webhook, attempted: string): boolean {
  return kind === 'agent' || url === attempted;
}

function settlementOf(
  result: AttemptResult,
  attempt: number,
  random: number,
  retryDelaysMs: readonly number[],
): Settlement {
  if (result.outcome === 'succeeded') return { status: 'succeeded' };
  if (result.statusCode === gone) return { status: 'failed', reason: 'gone' };
  const delayMs = nextDelayMs(attempt, result.retryAfterMs, random, retryDelaysMs);
  return delayMs === null ? { status: 'failed', reason: 'attempts_exhausted' } : { status: 'pending', delayMs };
}
