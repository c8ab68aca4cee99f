import type { ApiResponse, WithResponse } from './api-promise.ts';
import { apiError, ConnectionError, fieldOf, TimeoutError, textOf, VoiceAgentsError } from './errors.ts';
import { parseRetryAfter } from './retries.ts';

/** What timers can count to. Beyond it they would go off at once. */
const maxTimerMs = 2 ** 31 - 1;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

export interface Received {
  readonly response: Response;
  readonly text: string;
  readonly origin: string;
}

export interface Outgoing {
  readonly method: string;
  readonly headers: Headers;
  readonly redirect: 'manual';
  readonly body?: string;
}

/** One try: the whole answer, or what prevented it. */
export async function receive(
  send: typeof fetch,
  url: string,
  request: Outgoing,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Received> {
  signal?.throwIfAborted();
  const { origin } = new URL(url);
  // By hand: AbortSignal.any keeps what it made for as long as a caller's signal lives.
  const attempt = new AbortController();
  const abort = () => attempt.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const timer =
    timeoutMs > maxTimerMs ? undefined : setTimeout(() => attempt.abort(new TimeoutError(timeoutMs)), timeoutMs);
  try {
    const response = await send(url, { ...request, signal: attempt.signal });
    return { response, text: await response.text(), origin };
  } catch (error) {
    if (attempt.signal.aborted) throw attempt.signal.reason;
    throw new ConnectionError(`No whole answer from ${origin}: ${reasonOf(error)}.`, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** `fetch` itself only says that it failed; why is in the cause. */
function reasonOf(error: unknown): string {
  const cause = fieldOf(error, 'cause');
  return (
    textOf(fieldOf(cause, 'code')) ?? textOf(fieldOf(cause, 'message')) ?? textOf(fieldOf(error, 'message')) ?? '?'
  );
}

/** What an answer says, or the error that it is. */
export function readAnswer<T>(received: Received, isAfterLostAnswer: boolean): WithResponse<T> {
  const { response, origin } = received;
  const { status, headers } = response;
  if (response.type === 'opaqueredirect' || redirects.includes(status)) {
    const target = headers.get('location') ?? 'another address';
    throw new VoiceAgentsError(`${origin} leads on to ${target}, which is not followed: mend baseUrl.`);
  }
  const requestId = headers.get('x-request-id');
  const isJson = /^application\/json\b/i.test(headers.get('content-type') ?? '');
  if (response.ok) {
    if (!isJson) throw new VoiceAgentsError(`What answers at ${origin} is not the Voice Agent Service: mend baseUrl.`);
    const described: ApiResponse = { status, headers, requestId, etag: headers.get('etag') };
    return { data: parsed(received) as T, response: described };
  }
  const error = fieldOf(isJson ? parsed(received) : undefined, 'error');
  throw apiError({
    status,
    code: textOf(fieldOf(error, 'code')) ?? 'UNKNOWN',
    message: textOf(fieldOf(error, 'message')) ?? `${origin} answered with status ${status}.`,
    details: fieldOf(error, 'details'),
    requestId: textOf(fieldOf(error, 'requestId')) ?? requestId,
    headers,
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), Date.now()),
    isAfterLostAnswer,
  });
}

/** JSON that does not parse was cut off on the way. The cause is left out: it would quote what may be a secret. */
function parsed({ text, origin }: Received): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConnectionError(`No whole answer from ${origin}: it ends in the middle.`);
  }
}
