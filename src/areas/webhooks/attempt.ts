import type { Attempt } from '../../contract/webhooks/delivery.ts';
import { newTraceparent, signatureHeaders } from '../../core/webhook-signature.ts';
import type { Guard } from '../../net/guard.ts';
import { failureOf, outcomeOf, type RequestOutcome } from '../../net/partner/outcome.ts';

/** What is sent in every attempt to deliver an event. */
export interface DeliveryContent {
  readonly eventId: string;
  readonly url: string;
  /** Byte for byte the same in each attempt. */
  readonly body: string;
  /** The newest first. */
  readonly secrets: readonly string[];
}

export type AttemptResult = RequestOutcome & Pick<Attempt, 'durationMs' | 'url'> & { readonly startedAt: number };

export interface AttemptParts {
  readonly guard: Guard;
  readonly now: () => number;
  readonly userAgent: string;
  /** The timeout of the whole attempt. */
  readonly timeoutMs: number;
}

const maxResponseBytes = 4096;

/** Sends an event once. Resolves to null if the signal has cancelled it; rejects never. */
export async function attemptDelivery(
  { guard, now, userAgent, timeoutMs }: AttemptParts,
  { eventId, url, body, secrets }: DeliveryContent,
  signal: AbortSignal,
): Promise<AttemptResult | null> {
  const startedAt = now();
  const startMs = performance.now();
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    traceparent: newTraceparent(),
    ...signatureHeaders(eventId, Math.floor(startedAt / 1000), body, secrets),
  };
  const request = { method: 'POST', headers, body, maxResponseBytes, timeoutMs, isBodyOptional: true, signal } as const;
  const result = await guard.request(url, request).then((response) => outcomeOf(response, now()), failureOf);
  if (result === null) return null;
  return { startedAt, durationMs: Math.round(performance.now() - startMs), url, ...result };
}
