import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DueSources } from '../../jobs/due-sources.ts';
import { type Run, Runner, type RunnerSettings, type SourceClaim } from '../../jobs/runner.ts';
import type { Database } from '../../storage/database.ts';
import { type AttemptParts, type AttemptResult, attemptDelivery } from './attempt.ts';
import type { DeliveryStore, DueDelivery, WebhookKey } from './delivery-store.ts';
import { OutcomeBatches } from './outcome-batches.ts';
import type { createOutcomes } from './outcomes.ts';
import type { WebhookStore } from './store.ts';
import { validSecrets } from './webhook.ts';

export interface SenderSettings extends RunnerSettings {
  /** How long an attempt may take. */
  readonly timeoutMs: number;
  /** The delays before the second attempt, the third, and so on. */
  readonly retryDelaysMs: readonly number[];
}

export interface SenderParts {
  readonly database: Database;
  readonly store: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly record: ReturnType<typeof createOutcomes>;
  readonly attempt: AttemptParts;
  readonly logger: Logger;
  readonly mayClaim: () => boolean;
  readonly settings: SenderSettings;
}

/** A claimed delivery, with what its webhook says about sending it. */
interface Sending extends DueDelivery {
  readonly url: string;
  readonly secrets: readonly string[];
}

/** Sends deliveries that are due. */
export function createSender(parts: SenderParts): Runner<Sending> {
  const { database, deliveries, logger, mayClaim, settings } = parts;
  const { leases } = deliveries;
  const outcomes = new OutcomeBatches((webhook, ended) => parts.record(runner.owner, webhook, ended));
  const runner = new Runner<Sending>({
    database,
    leases,
    due: new DueSources(database, leases, 'webhook_id'),
    claim: (webhook, claim) => claimDue(parts, webhook, claim),
    run: (run) => send(parts, outcomes, run),
    logger,
    mayClaim,
    settings,
  });
  return runner;
}

function claimDue(
  { database, store, deliveries, attempt, settings }: SenderParts,
  { workspaceId, id }: WebhookKey,
  claim: SourceClaim,
): Promise<'busy' | readonly Sending[]> {
  return database.transaction(async (queries) => {
    // Holding the webhook excludes claims of other processes, so that the limit is for all of them. If another one has
    // it, the next pass tries again: the webhooks that follow do not wait for it.
    const locked = await store.lockIfFree(queries, workspaceId, id);
    if (locked === undefined) return 'busy';
    const { status, url } = locked.webhook;
    if (status !== 'active') {
      // The event was written while the status changed.
      await deliveries.skipPending(queries, workspaceId, id, `webhook_${status}`);
      return [];
    }
    const limit = Math.min(settings.inFlight.perSource - (await deliveries.inFlight(queries, id)), claim.limit);
    if (limit <= 0) return [];
    const due = await deliveries.claim(queries, { workspaceId, id }, { ...claim, limit });
    const secrets = validSecrets(locked, attempt.now());
    return due.map((delivery) => ({ ...delivery, url: delivery.url ?? url ?? '', secrets }));
  });
}

async function send(
  { attempt, logger, settings }: SenderParts,
  outcomes: OutcomeBatches,
  run: Run<Sending>,
): Promise<string | null> {
  const { eventId, url, body, secrets, id } = run.work;
  try {
    const content = { eventId, url, body, secrets };
    const result = await attemptDelivery(attempt, content, run.signal);
    return result === null ? null : await record(outcomes, run, result, settings.leaseMs);
  } catch (error) {
    // The lease ends, and the delivery is sent again.
    const { name, message } = error as Error;
    logger.warn({ deliveryId: id, err: { type: name, message } }, 'the result of a delivery cannot be recorded');
    return 'lost';
  }
}

/** Tries again for as long as the lease may last: otherwise the receiver gets the event twice. */
async function record(
  outcomes: OutcomeBatches,
  { source, work, isStopping }: Run<Sending>,
  result: AttemptResult,
  leaseMs: number,
): Promise<string> {
  const startMs = performance.now();
  for (let pauseMs = 100; ; pauseMs *= 2) {
    try {
      return (await outcomes.add(source, { delivery: work, result })) ? result.outcome : 'lost';
    } catch (error) {
      if (isStopping() || performance.now() - startMs + pauseMs > leaseMs) throw error;
      await delay(pauseMs, undefined, { ref: false });
    }
  }
}
