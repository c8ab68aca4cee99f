import type { Attempt } from '../../contract/webhooks/delivery.ts';
import { newTraceparent, signatureHeaders } from '../../core/webhook-signature.ts';
import type { OutboundResponse } from '../../net/exchange.ts';
import type { Guard } from '../../net/guard.ts';
import { OutboundError, type OutboundErrorCode } from '../../net/outbound-error.ts';

/** What is sent in every attempt to deliver an event. */
export interface DeliveryContent {
  readonly eventId: string;
  readonly url: string;
  /** Byte for byte the same in each attempt. */
  readonly body: string;
  /** The newest first. */
  readonly secrets: readonly string[];
}

export type AttemptResult = Omit<Attempt, 'number' | 'startedAt'> & {
  readonly startedAt: number;
  /** How long the receiver asked to wait. */
  readonly retryAfterMs: number | null;
};

export interface AttemptParts {
  readonly guard: Guard;
  readonly now: () => number;
  readonly userAgent: string;
  /** The timeout of the whole attempt. */
  readonly timeoutMs: number;
}

const maxResponseBytes = 4096;
const maxRetryAfterMs = 24 * 3_600_000;

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
  const result = await guard.request(url, request).then(resultOf(now), (error: unknown) => failureOf(error));
  if (result === null) return null;
  return { startedAt, durationMs: Math.round(performance.now() - startMs), url, ...result };
}

type Result = Pick<AttemptResult, 'outcome' | 'statusCode' | 'responseBody' | 'errorMessage' | 'retryAfterMs'>;

const resultOf =
  (now: () => number) =>
  ({ status, headers, body }: OutboundResponse): Result => {
    const answered = { statusCode: status, responseBody: textOf(body), retryAfterMs: null };
    if (status >= 200 && status <= 299) return { ...answered, outcome: 'succeeded', errorMessage: null };
    if (status >= 300 && status <= 399) {
      const errorMessage = `The receiver answered ${status}; redirects are not followed.`;
      return { ...answered, outcome: 'redirect', errorMessage };
    }
    const hasWait = status === 429 || status === 503;
    return {
      ...answered,
      outcome: 'http_error',
      errorMessage: `The receiver answered ${status}.`,
      retryAfterMs: hasWait ? retryAfterOf(headers['retry-after'], now()) : null,
    };
  };

/** Null characters cannot be stored in PostgreSQL. A character that the limit has cut in two is left out. */
function textOf(body: Buffer): string | null {
  if (body.length === 0) return null;
  const stream = body.length >= maxResponseBytes;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body, { stream }).replaceAll('\0', '\uFFFD');
}

/** `Retry-After` in seconds or as a date, up to 24 hours. */
export function retryAfterOf(header: string | readonly string[] | undefined, now: number): number | null {
  const text = typeof header === 'string' ? header.trim() : undefined;
  if (text === undefined || text === '') return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), maxRetryAfterMs);
}

const outcomes: Readonly<Record<Exclude<OutboundErrorCode, 'aborted'>, Attempt['outcome']>> = {
  address_not_allowed: 'address_not_allowed',
  connect_timeout: 'connection_failed',
  connect_failed: 'connection_failed',
  tls_failed: 'tls_failed',
  timeout: 'timeout',
  invalid_response: 'connection_failed',
  response_too_large: 'connection_failed',
};

function failureOf(error: unknown): Result | null {
  const code = error instanceof OutboundError ? error.code : 'invalid_response';
  if (code === 'aborted') return null;
  const { message } = new OutboundError(code);
  return { outcome: outcomes[code], statusCode: null, responseBody: null, errorMessage: message, retryAfterMs: null };
}
