import type { OutboundResponse } from '../exchange.ts';
import { OutboundError, type OutboundErrorCode } from '../outbound-error.ts';

/** The outcome of a request to a partner's server, as the API names it. */
export interface RequestOutcome {
  readonly outcome:
    | 'succeeded'
    | 'http_error'
    | 'redirect'
    | 'timeout'
    | 'connection_failed'
    | 'tls_failed'
    | 'address_not_allowed';
  readonly statusCode: number | null;
  /** Null if there was none. */
  readonly responseBody: string | null;
  readonly errorMessage: string | null;
  /** How long the server asked to wait. */
  readonly retryAfterMs: number | null;
}

const maxRetryAfterMs = 24 * 3_600_000;

/** `isExpected`: the statuses of a success. */
export function outcomeOf(
  { status, headers, body, isTruncated }: OutboundResponse,
  now: number,
  isExpected: (status: number) => boolean = isSuccess,
): RequestOutcome {
  const answered = { statusCode: status, responseBody: storableText(body, isTruncated), retryAfterMs: null };
  if (isExpected(status)) return { ...answered, outcome: 'succeeded', errorMessage: null };
  if (status >= 300 && status <= 399) {
    const errorMessage = `The receiver answered ${status}; redirects are not followed.`;
    return { ...answered, outcome: 'redirect', errorMessage };
  }
  const hasWait = status === 429 || status === 503;
  return {
    ...answered,
    outcome: 'http_error',
    errorMessage: `The receiver answered ${status}.`,
    retryAfterMs: hasWait ? retryAfterOf(headers['retry-after'], now) : null,
  };
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Null characters cannot be stored in PostgreSQL. A character that the limit has cut in two is left out. */
function storableText(body: Buffer, isTruncated: boolean): string | null {
  if (body.length === 0) return null;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body, { stream: isTruncated });
  return text.replaceAll('\0', '\uFFFD');
}

/** `Retry-After` in seconds or as a date, up to 24 hours. */
export function retryAfterOf(header: string | readonly string[] | undefined, now: number): number | null {
  const text = typeof header === 'string' ? header.trim() : undefined;
  if (text === undefined || text === '') return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), maxRetryAfterMs);
}

const outcomes: Readonly<Record<Exclude<OutboundErrorCode, 'aborted'>, RequestOutcome['outcome']>> = {
  address_not_allowed: 'address_not_allowed',
  connect_timeout: 'connection_failed',
  connect_failed: 'connection_failed',
  tls_failed: 'tls_failed',
  timeout: 'timeout',
  invalid_response: 'connection_failed',
  response_too_large: 'connection_failed',
};

/** The outcome of a request without a response; null if it was canceled. */
export function failureOf(error: unknown): RequestOutcome | null {
  const code = error instanceof OutboundError ? error.code : 'invalid_response';
  if (code === 'aborted') return null;
  const { message } = new OutboundError(code);
  return { outcome: outcomes[code], statusCode: null, responseBody: null, errorMessage: message, retryAfterMs: null };
}
