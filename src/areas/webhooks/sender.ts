import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../storage/database.ts';
import { type AttemptParts, type AttemptResult, attemptDelivery } from './attempt.ts';
import type { DeliveryStore, DueDelivery, WebhookKey } from './delivery-store.ts';
import { DueWebhooks } from './due-webhooks.ts';
import { OutcomeBatches } from './outcome-batches.ts';
import type { createOutcomes } from './outcomes.ts';
import { type SendingLimits, SendingSlots, type Share } from './sending-slots.ts';
import type { OpenedWebhook, WebhookStore } from './store.ts';
import { validSecrets } from './webhook.ts';

export interface SenderSettings {
  readonly leaseMs: number;
  /** How often to look for deliveries of other processes, and for those that have become due. */
  readonly pollMs: number;
  /** How long attempts in progress may take when the service stops. */
  readonly drainMs: number;
  /** How long an attempt may take. */
  readonly timeoutMs: number;
  /** The delays before the second attempt, the third, and so on. */
  readonly retryDelaysMs: readonly number[];
  /** Attempts per second, for a webhook that fails again and again. */
  readonly failingPerSecond: number;
  /** Requests in flight: of this process, and for each webhook by all processes together. */
  readonly inFlight: SendingLimits;
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

/** What became of an attempt. */
type SendOutcome = AttemptResult['outcome'] | 'lost' | 'released';

interface ActiveRequest {
  readonly webhook: WebhookKey;
  readonly delivery: DueDelivery;
  readonly controller: AbortController;
  isLost: boolean;
}

/** After so many failed attempts in a row, a webhook gets few attempts per second, so that a backlog costs little. */
const failuresToSlowDown = 20;
/** On SQLite the claims of a pass share a commit; on PostgreSQL they leave connections for requests. */
const concurrentClaims = { sqlite: 100, postgres: 4 };
/**
 * From the start of a pass that has claimed something to the next one. What ends meanwhile is claimed for together: in
 * a backlog, that halves the number of commits.
 */
const minPassMs = 10;
const maxPauseMs = 5000;

/**
 * Sends deliveries that are due. One loop claims them, webhook by webhook; each attempt then runs on its own, outside of
 * any transaction. Workspaces get slots in turn, and so do the webhooks of a workspace, each with a limit, so that a slow
 * receiver delays only itself.
 */
export class Sender {
  readonly #parts: SenderParts;
  /** Unique per process, so that a lease belongs to one of them. */
  readonly #owner = randomUUID();
  readonly #outcomes: OutcomeBatches;
  readonly #due: DueWebhooks;
  readonly #slots: SendingSlots;
  readonly #activeRequests = new Map<string, ActiveRequest>();
  readonly #running = new Set<Promise<void>>();
  readonly #counts = new Map<SendOutcome, number>();
  /** How often webhooks have failed since their last success, and from when on they may be claimed. */
  readonly #failing = new Map<string, { readonly failures: number; readonly fromMs: number }>();
  #loop: Promise<void> | undefined;
  #renewals: NodeJS.Timeout | undefined;
  #isWoken = false;
  /** Not all webhooks with something to send have been looked at. */
  #isListing = false;
  #isStopping = false;
  #endSleep: () => void = () => {};

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#due = new DueWebhooks(parts.database, parts.deliveries);
    this.#slots = new SendingSlots(parts.settings.inFlight);
    this.#outcomes = new OutcomeBatches((webhook, ended) => parts.record(this.#owner, webhook, ended));
  }

  start(): void {
    if (this.#loop !== undefined) return;
    const { leaseMs } = this.#parts.settings;
    this.#renewals = setInterval(() => void this.#renew(), leaseMs / 3).unref();
    this.#loop = this.#work();
  }

  /** Something may be due: after the commit of an event in this process. */
  wake(): void {
    this.#isWoken = true;
    this.#endSleep();
  }

  /** Stops claiming, waits for attempts in progress, and releases those that do not end, so that others send them. */
  async stop(): Promise<void> {
    if (this.#loop === undefined) return;
    this.#isStopping = true;
    this.#endSleep();
    await this.#loop;
    const ended = Promise.all(this.#running);
    await Promise.race([ended, delay(this.#parts.settings.drainMs, undefined, { ref: false })]);
    for (const { controller } of this.#activeRequests.values()) controller.abort();
    await Promise.all(this.#running);
    clearInterval(this.#renewals);
  }

  /** The number of attempts by what became of them since the start. */
  counts(): { readonly outcome: string; readonly value: number }[] {
    return [...this.#counts].map(([outcome, value]) => ({ outcome, value }));
  }

  async #work(): Promise<void> {
    const { logger, settings, mayClaim } = this.#parts;
    let pauseMs = 0;
    while (!this.#isStopping) {
      // What was added in the meantime may be of a webhook that was already looked at.
      if (!this.#isListing) this.#isWoken = false;
      try {
        const startMs = performance.now();
        const mayHaveMore = mayClaim() && (await this.#pass());
        pauseMs = 0;
        if (!mayHaveMore) await this.#sleep(settings.pollMs);
        else await delay(Math.max(0, startMs + minPassMs - performance.now()), undefined, { ref: false });
      } catch (error) {
        const { name, message } = error as Error;
        logger.warn({ err: { type: name, message } }, 'deliveries cannot be claimed');
        pauseMs = Math.min(Math.max(pauseMs * 2, 100), maxPauseMs);
        await this.#sleep(pauseMs);
      }
    }
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#isWoken || this.#isStopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endSleep = () => {};
  }

  /** Claims and starts what is due. Resolves to true if there may be more soon. */
  async #pass(): Promise<boolean> {
    // An attempt that ends wakes the sender.
    if (this.#slots.free === 0) return false;
    const { due, hasMore } = await this.#due.list();
    this.#isListing = hasMore;
    const shares = this.#slots.reserve(due.filter(({ id }) => !this.#isSlowedDown(id)));
    let mayHaveMore = hasMore;
    const queue = shares[Symbol.iterator]();
    const claimSome = async (): Promise<void> => {
      for (const share of queue) if (await this.#claim(share)) mayHaveMore = true;
    };
    const concurrent = concurrentClaims[this.#parts.database.dialect.engine];
    const claims = Array.from({ length: Math.min(concurrent, shares.length) }, claimSome);
    // None may go on after a failure of another: the next pass, and the end of the sender, count on it.
    const failed = (await Promise.allSettled(claims)).find(({ status }) => status === 'rejected');
    for (const { webhook, limit } of queue) this.#slots.release(webhook, limit);
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    return mayHaveMore;
  }

  #isSlowedDown(webhookId: string): boolean {
    return performance.now() < (this.#failing.get(webhookId)?.fromMs ?? 0);
  }

  #noteClaim(webhookId: string, count: number): void {
    const { failures } = this.#failing.get(webhookId) ?? { failures: 0 };
    if (failures < failuresToSlowDown) return;
    const pauseMs = (count * 1000) / this.#parts.settings.failingPerSecond;
    this.#failing.set(webhookId, { failures, fromMs: performance.now() + pauseMs });
  }

  #countOutcome(webhookId: string, outcome: SendOutcome): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    if (outcome === 'succeeded') this.#failing.delete(webhookId);
    if (outcome === 'succeeded' || outcome === 'lost' || outcome === 'released') return;
    const { failures, fromMs } = this.#failing.get(webhookId) ?? { failures: 0, fromMs: 0 };
    this.#failing.set(webhookId, { failures: failures + 1, fromMs });
  }

  /** Claims deliveries for reserved slots, and starts them. Resolves to true if there may be more soon. */
  async #claim({ webhook, limit }: Share): Promise<boolean> {
    let begun = 0;
    try {
      if (this.#isStopping) return false;
      const claimed = await this.#claimDue(webhook, limit);
      if (claimed === null || claimed === 'busy') return claimed === 'busy';
      this.#noteClaim(webhook.id, claimed.due.length);
      const secrets = validSecrets(claimed.held, this.#parts.attempt.now());
      for (const delivery of claimed.due) {
        // The process had stalled, and its own lease ended before anyone else claimed it: the attempt goes on.
        if (this.#activeRequests.has(delivery.id)) continue;
        this.#begin(webhook, claimed.held, secrets, delivery);
        begun += 1;
      }
      return claimed.due.length > 0;
    } finally {
      this.#slots.release(webhook, limit - begun);
    }
  }

  #claimDue(
    webhook: WebhookKey,
    most: number,
  ): Promise<'busy' | null | { readonly held: OpenedWebhook; readonly due: readonly DueDelivery[] }> {
    const { database, store, deliveries, settings } = this.#parts;
    const { leaseMs, inFlight } = settings;
    return database.transaction(async (queries) => {
      // Holding the webhook excludes claims of other processes, so that the limit is for all of them. If another one has
      // it, the next pass tries again: the webhooks that follow do not wait for it.
      const held = await store.holdIfFree(queries, webhook.workspaceId, webhook.id);
      if (held === undefined) return 'busy';
      const { status } = held.webhook;
      if (status !== 'active') {
        // The event was written while the status changed.
        await deliveries.skipPending(queries, webhook.workspaceId, webhook.id, `webhook_${status}`);
        return null;
      }
      const limit = Math.min(inFlight.perWebhook - (await deliveries.inFlight(queries, webhook.id)), most);
      if (limit <= 0) return null;
      return { held, due: await deliveries.claim(queries, webhook, { owner: this.#owner, leaseMs, limit }) };
    });
  }

  /** Starts an attempt, which keeps its slot until its outcome is recorded. */
  #begin(webhook: WebhookKey, held: OpenedWebhook, secrets: readonly string[], delivery: DueDelivery): void {
    const active: ActiveRequest = { webhook, delivery, controller: new AbortController(), isLost: false };
    this.#activeRequests.set(delivery.id, active);
    const running = this.#send(active, delivery.url ?? held.webhook.url ?? '', secrets)
      .then((outcome) => this.#countOutcome(webhook.id, outcome))
      .finally(() => {
        this.#activeRequests.delete(delivery.id);
        this.#running.delete(running);
        this.#slots.release(webhook);
        this.wake();
      });
    this.#running.add(running);
  }

  async #send(active: ActiveRequest, url: string, secrets: readonly string[]): Promise<SendOutcome> {
    const { eventId, body, id } = active.delivery;
    const { database, deliveries, attempt, logger } = this.#parts;
    try {
      const content = { eventId, url, body, secrets };
      const result = await attemptDelivery(attempt, content, active.controller.signal);
      if (result !== null) return await this.#record(active, result);
      if (active.isLost) return 'lost';
      await database.transaction((queries) => deliveries.leases.release(queries, this.#owner, [id], 0));
      return 'released';
    } catch (error) {
      // The lease ends, and the delivery is sent again.
      const { name, message } = error as Error;
      logger.warn({ deliveryId: id, err: { type: name, message } }, 'the result of a delivery cannot be recorded');
      return 'lost';
    }
  }

  /** Tries again for as long as the lease may last: otherwise the receiver gets the event twice. */
  async #record({ webhook, delivery }: ActiveRequest, result: AttemptResult): Promise<SendOutcome> {
    const { settings } = this.#parts;
    const startMs = performance.now();
    for (let pauseMs = 100; ; pauseMs *= 2) {
      try {
        return (await this.#outcomes.add(webhook, { delivery, result })) ? result.outcome : 'lost';
      } catch (error) {
        if (this.#isStopping || performance.now() - startMs + pauseMs > settings.leaseMs) throw error;
        await delay(pauseMs, undefined, { ref: false });
      }
    }
  }

  /** An attempt whose lease was lost is cancelled: another process sends the event. */
  async #renew(): Promise<void> {
    const { database, deliveries, settings, logger } = this.#parts;
    const activeRequests = [...this.#activeRequests.values()];
    if (activeRequests.length === 0) return;
    const ids = activeRequests.map(({ delivery }) => delivery.id);
    try {
      const held = await database.transaction((queries) =>
        deliveries.leases.renew(queries, this.#owner, ids, settings.leaseMs),
      );
      for (const active of activeRequests) {
        // One that has just ended no longer has a lease.
        if (held.has(active.delivery.id) || this.#activeRequests.get(active.delivery.id) !== active) continue;
        active.isLost = true;
        active.controller.abort();
      }
    } catch (error) {
      const { name, message } = error as Error;
      logger.warn({ err: { type: name, message } }, 'leases of deliveries cannot be renewed');
    }
  }
}
