import { setImmediate as nextIteration } from 'node:timers/promises';
import type { WebhookKey } from './delivery-store.ts';
import type { EndedAttempt } from './outcomes.ts';

type Record = (webhook: WebhookKey, ended: readonly EndedAttempt[]) => Promise<ReadonlySet<string>>;

interface Waiting extends EndedAttempt {
  readonly resolve: (isRecorded: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Attempts of a webhook that end while earlier ones are being recorded share the next transaction: each of them locks
 * the webhook, so that one after the other they take as many commits as attempts.
 */
export class OutcomeBatches {
  readonly #record: Record;
  /** By webhook; present while one of its transactions runs. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(record: Record) {
    this.#record = record;
  }

  /** Resolves to whether the lease was still held, so that the result counts. */
  add(webhook: WebhookKey, ended: EndedAttempt): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(webhook.id);
      const waiting = { ...ended, resolve, reject };
      if (queue !== undefined) queue.push(waiting);
      else {
        this.#waiting.set(webhook.id, [waiting]);
        void this.#recordAll(webhook);
      }
    });
  }

  async #recordAll(webhook: WebhookKey): Promise<void> {
    for (;;) {
      // Deliveries that end together, such as refused connections, are recorded together.
      await nextIteration();
      const batch = this.#waiting.get(webhook.id) ?? [];
      if (batch.length === 0) break;
      this.#waiting.set(webhook.id, []);
      try {
        const recorded = await this.#record(webhook, batch);
        for (const { delivery, resolve } of batch) resolve(recorded.has(delivery.id));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(webhook.id);
  }
}
