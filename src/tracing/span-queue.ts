import type { MetricSource } from '../http/metric-source.ts';
import type { Clock } from '../voice/clock.ts';
import type { Collector } from './collector.ts';

export interface SpanQueueOptions {
  readonly collector: Collector;
  readonly clock: Clock;
  /** The body of a request with these encoded spans. */
  readonly batch: (spans: readonly Buffer[]) => Buffer;
  /** Called when sending begins to fail, when it works again, and when spans are lost; not for each of them. */
  readonly log: (level: 'info' | 'warn', details: object, message: string) => void;
}

const maxSpans = 20_000;
/** Spans with content may be long. */
const maxBytes = 32 * 1024 * 1024;
const maxBatchSpans = 512;
const maxBatchBytes = 1024 * 1024;
/** How long a span waits for others. */
const batchDelayMs = 1000;
const firstRetryMs = 1000;
const maxRetryMs = 30_000;
/** How long the end of the process waits for the collector. */
const maxCloseMs = 5000;
const reportEveryMs = 60_000;

type Loss = 'queue_full' | 'refused' | 'rejected';

/**
 * Encoded spans on their way to the collector, in order and in batches. Nothing waits for it: if the collector is down
 * or slow, newer spans are dropped and counted once this many wait.
 */
export class SpanQueue {
  readonly #options: SpanQueueOptions;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #sent = 0;
  readonly #lost: Record<Loss, number> = { queue_full: 0, refused: 0, rejected: 0 };
  #failures = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | null = null;
  #sending: Promise<void> | null = null;
  #isClosed = false;
  readonly #stop = new AbortController();

  constructor(options: SpanQueueOptions) {
    this.#options = options;
  }

  add(span: Buffer): void {
    if (this.#isClosed || this.#waiting.length >= maxSpans || this.#bytes + span.length > maxBytes) {
      this.#drop('queue_full', 1, 'the collector cannot keep up');
      return;
    }
    this.#waiting.push(span);
    this.#bytes += span.length;
    if (this.#waiting.length >= maxBatchSpans && this.#failures === 0) this.#send();
    else this.#sendLater(batchDelayMs);
  }

  get metrics(): readonly MetricSource[] {
    return [
      {
        name: 'trace_spans_sent_total',
        type: 'counter',
        help: 'Spans that the collector has accepted.',
        values: () => [{ labels: {}, value: this.#sent }],
      },
      {
        name: 'trace_spans_dropped_total',
        type: 'counter',
        help: 'Spans that were lost, by reason.',
        values: () => Object.entries(this.#lost).map(([reason, value]) => ({ labels: { reason }, value })),
      },
      {
        name: 'trace_spans_waiting',
        type: 'gauge',
        help: 'Spans that wait for the collector.',
        values: () => [{ labels: {}, value: this.#waiting.length }],
      },
    ];
  }

  /** Sends what is left once more, within a limit. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { clock, collector, log } = this.#options;
    const cancelLimit = clock.after(maxCloseMs, () => this.#stop.abort());
    await this.#sending;
    this.#failures = 0;
    while (this.#waiting.length > 0 && this.#failures === 0 && !this.#stop.signal.aborted) await this.#sendBatch();
    cancelLimit();
    this.#cancelTimer?.();
    collector.close();
    if (this.#waiting.length > 0) {
      log('warn', { spans: this.#waiting.length }, 'spans were lost, because the collector did not take them in time');
    }
    this.#waiting = [];
  }

  #sendLater(ms: number): void {
    if (this.#sending !== null || this.#isClosed) return;
    this.#cancelTimer ??= this.#options.clock.after(ms, () => this.#send());
  }

  #send(): void {
    if (this.#sending !== null || this.#isClosed) return;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#sending = this.#sendBatch().finally(() => {
      this.#sending = null;
      if (this.#waiting.length === 0) return;
      if (this.#failures > 0) this.#sendLater(this.#retryMs);
      else if (this.#waiting.length >= maxBatchSpans) this.#send();
      else this.#sendLater(batchDelayMs);
    });
  }

  #retryAfterMs = 0;

  get #retryMs(): number {
    return Math.min(maxRetryMs, Math.max(this.#retryAfterMs, firstRetryMs * 2 ** (this.#failures - 1)));
  }

  /** The first ones that wait. They stay in the queue until they are sent or lost. */
  async #sendBatch(): Promise<void> {
    const spans = this.#nextBatch();
    const delivery = await this.#options.collector.send(this.#options.batch(spans), this.#stop.signal);
    if (delivery.kind === 'failed') {
      this.#failures += 1;
      this.#retryAfterMs = delivery.retryAfterMs;
      this.#report({ reason: delivery.reason, waiting: this.#waiting.length }, 'traces cannot be sent');
      return;
    }
    if (this.#failures > 0) this.#options.log('info', {}, 'traces are sent again');
    this.#failures = 0;
    this.#waiting.splice(0, spans.length);
    this.#bytes -= spans.reduce((sum, { length }) => sum + length, 0);
    const lost = delivery.kind === 'refused' ? spans.length : Math.min(delivery.rejected, spans.length);
    this.#sent += spans.length - lost;
    if (delivery.kind === 'refused') this.#drop('refused', lost, delivery.reason);
    else if (lost > 0) this.#drop('rejected', lost, 'the collector accepted only some of the spans');
  }

  #nextBatch(): readonly Buffer[] {
    let bytes = 0;
    let count = 0;
    for (const { length } of this.#waiting) {
      bytes += length;
      if (count === maxBatchSpans || (count > 0 && bytes > maxBatchBytes)) break;
      count += 1;
    }
    return this.#waiting.slice(0, count);
  }

  #drop(why: Loss, count: number, reason: string): void {
    this.#lost[why] += count;
    const lost = Object.values(this.#lost).reduce((sum, each) => sum + each, 0);
    this.#report({ reason, lost }, 'spans are lost');
  }

  #report(details: object, message: string): void {
    const now = this.#options.clock.now();
    if (now - this.#reportedAt < reportEveryMs) return;
    this.#reportedAt = now;
    this.#options.log('warn', details, message);
  }
}
