import { parseForeignJson } from '../../../contract/foreign-json.ts';
import type { OutboundResponse } from '../../../net/exchange.ts';
import { OutboundError } from '../../../net/outbound-error.ts';
import type { Clock } from '../../clock.ts';
import { type CarrierCredentials, CarrierError } from '../carrier.ts';
import { openOperatorConnection } from '../connection.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface TwilioRequest {
  readonly method: 'GET' | 'POST';
  /** From `/2010-04-01`, with the query. */
  readonly path: string;
  readonly form?: URLSearchParams;
  readonly signal?: AbortSignal | undefined;
}

/** What became of a request, judging by its connection. */
export type TwilioResult =
  | { readonly what: 'response'; readonly status: number; readonly body: Json; readonly retryAfterMs: number | null }
  /** There was no connection, so the request was not sent. */
  | { readonly what: 'not_sent'; readonly detail: string }
  /** The request was written, at least a part of it, and there is no complete response. */
  | { readonly what: 'no_response'; readonly detail: string };

export interface TwilioConnection {
  /** Without a slash at the end; the operator's own. */
  readonly baseUrl: string;
  readonly credentials: CarrierCredentials;
  /** `http://host:port` of a proxy for `https://` addresses, or null. */
  readonly proxy: string | null;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** For everything, from the lookup of the name to the last byte of the response. */
  readonly timeoutMs: number;
}

/** A page of 1,000 numbers has two megabytes. */
const maxResponseBytes = 4 * 1024 * 1024;
const maxRetryAfterMs = 60_000;

/**
 * Sends a request, once, over a connection of its own: a connection that is kept may be closed by the other side at the
 * moment of the request, and then nobody knows whether it arrived.
 */
export async function sendRequest(connection: TwilioConnection, request: TwilioRequest): Promise<TwilioResult> {
  const { baseUrl, proxy, clock, timeoutMs, connectTimeoutMs } = connection;
  const url = new URL(baseUrl + request.path);
  // undici takes 7 MB, so it is loaded with the first request.
  const { exchange } = await import('../../../net/exchange.ts');
  const stop = new AbortController();
  const abort = (): void => stop.abort(new OutboundError('aborted'));
  if (request.signal?.aborted === true) abort();
  request.signal?.addEventListener('abort', abort, { once: true });
  const cancelTimeout = clock.after(timeoutMs, () => stop.abort(new OutboundError('timeout')));
  const cancelConnecting = clock.after(connectTimeoutMs, () => stop.abort(new OutboundError('connect_timeout')));
  let isConnected = false;
  try {
    const socket = await openOperatorConnection(url, proxy, stop.signal);
    cancelConnecting();
    isConnected = true;
    return read(await exchange(socket, url, outbound(connection, request), stop.signal));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { what: isConnected ? 'no_response' : 'not_sent', detail: error.message };
  } finally {
    cancelConnecting();
    cancelTimeout();
    request.signal?.removeEventListener('abort', abort);
  }
}

function outbound({ credentials }: TwilioConnection, { method, form }: TwilioRequest) {
  const headers = { accept: 'application/json', authorization: authorizationOf(credentials) };
  if (form === undefined) return { method, headers, maxResponseBytes };
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method, headers: { ...headers, ...type }, body: form.toString(), maxResponseBytes };
}

function authorizationOf({ accountSid, authToken, apiKeySid, apiKeySecret }: CarrierCredentials): string {
  const hasKey = apiKeySid !== undefined && apiKeySecret !== undefined;
  const pair = hasKey ? `${apiKeySid}:${apiKeySecret}` : `${accountSid}:${authToken}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function read({ status, headers, body, isTruncated }: OutboundResponse): TwilioResult {
  if (isTruncated) return { what: 'no_response', detail: 'The response is too large.' };
  return { what: 'response', status, body: jsonIn(body), retryAfterMs: retryAfterIn(headers['retry-after']) };
}

/** Empty if the body is no JSON object: a proxy sends pages of its own. */
function jsonIn(body: Buffer): Json {
  try {
    const value = parseForeignJson(body.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
  } catch {
    return {};
  }
}

/** Only as seconds; a date would be on a clock that is not ours. */
function retryAfterIn(header: string | readonly string[] | undefined): number | null {
  if (typeof header !== 'string' || !/^\d{1,6}$/.test(header)) return null;
  return Math.min(Number(header) * 1000, maxRetryAfterMs);
}

/** The carrier's error, such as `20003`; null if the body has none. */
export function errorCodeIn(body: Json): string | null {
  const { code } = body;
  return typeof code === 'number' && Number.isSafeInteger(code) ? String(code) : null;
}

/** The body of a successful response. Anything else is a CarrierError. */
export function bodyOf(result: TwilioResult): Json {
  if (result.what !== 'response') {
    throw new CarrierError(`The carrier could not be reached. ${result.detail}`, { isRetryable: true });
  }
  const { status, body } = result;
  if (status >= 200 && status <= 299) return body;
  const code = errorCodeIn(body) ?? `HTTP ${status}`;
  if (status === 401 || status === 403) {
    throw new CarrierError(`The carrier did not accept the credentials (${code}).`, { code, isRetryable: false });
  }
  if (status === 429)
    throw new CarrierError(`The carrier has too many requests (${code}).`, { code, isRetryable: true });
  throw new CarrierError(`The carrier refused the request (${code}).`, { code, isRetryable: status >= 500 });
}
