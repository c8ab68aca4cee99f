import type { ApiResponse, WithResponse } from './api-promise.ts';
import { type ApiError, apiError, ConnectionError, fieldOf, TimeoutError, textOf, VoiceAgentsError } from './errors.ts';
import { parseRetryAfter } from './retries.ts';

/** The longest delay that timers support; longer ones would fire immediately. */
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

export interface Attempt {
  readonly send: typeof fetch;
  readonly url: string;
  readonly request: Outgoing;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** One attempt: returns what `read` makes of the response, or throws what prevented it. */
export async function receive<T>(
  { send, url, request, timeoutMs, signal }: Attempt,
  read: (response: Response, origin: string) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const { origin } = new URL(url);
  // Not AbortSignal.any, which keeps its signals in memory for as long as the caller's signal lives.
  const attempt = new AbortController();
  const abort = () => attempt.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const timer =
    timeoutMs > maxTimerMs ? undefined : setTimeout(() => attempt.abort(new TimeoutError(timeoutMs)), timeoutMs);
  try {
    const response = await send(url, { ...request, signal: attempt.signal });
    return await read(response, origin);
  } catch (error) {
    if (attempt.signal.aborted) throw attempt.signal.reason;
    if (error instanceof VoiceAgentsError) throw error;
    throw new ConnectionError(`No complete response from ${origin}: ${reasonOf(error)}.`, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** The error of `fetch` only says that it failed; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const cause = fieldOf(error, 'cause');
  return (
    textOf(fieldOf(cause, 'code')) ?? textOf(fieldOf(cause, 'message')) ?? textOf(fieldOf(error, 'message')) ?? '?'
  );
}

export async function readText(response: Response, origin: string): Promise<Received> {
  return { response, text: await response.text(), origin };
}

/** A response of this media type as it is; any other one is an error. */
export async function readFile(
  response: Response,
  origin: string,
  mediaType: string,
  isAfterLostAnswer: boolean,
): Promise<WithResponse<ArrayBuffer>> {
  const { status, headers } = response;
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (!response.ok || type !== mediaType) {
    const { response: described } = readResponse(await readText(response, origin), isAfterLostAnswer);
    throw new VoiceAgentsError(`${origin} responded with ${type} and status ${described.status}.`);
  }
  const described = { status, headers, requestId: headers.get('x-request-id'), etag: headers.get('etag') };
  return { data: await response.arrayBuffer(), response: described };
}

/** Parses a response: returns its data, or throws it as an error. */
export function readResponse<T>(received: Received, isAfterLostAnswer: boolean): WithResponse<T> {
  const { response, origin } = received;
  const { status, headers } = response;
  if (response.type === 'opaqueredirect' || redirects.includes(status)) {
    const target = headers.get('location') ?? 'another URL';
    throw new VoiceAgentsError(`${origin} redirects to ${target}. Redirects are not followed: check baseUrl.`);
  }
  const requestId = headers.get('x-request-id');
  const isJson = /^application\/json\b/i.test(headers.get('content-type') ?? '');
  if (response.ok) {
    if (!isJson) throw new VoiceAgentsError(`The server at ${origin} is not a Voice Agent Service: check baseUrl.`);
    const described: ApiResponse = { status, headers, requestId, etag: headers.get('etag') };
    return { data: parsed(received) as T, response: described };
  }
  const body = isJson ? parsed(received) : undefined;
  throw errorOf({ body, status, headers, isAfterLostAnswer, otherwise: `${origin} responded with status ${status}.` });
}

interface ErrorParts {
  readonly body: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly isAfterLostAnswer: boolean;
  /** The message if the body has none. */
  readonly otherwise: string;
}

/** The error that an error body describes. */
export function errorOf({ body, status, headers, isAfterLostAnswer, otherwise }: ErrorParts): ApiError {
  const error = fieldOf(body, 'error');
  return apiError({
    status,
    code: textOf(fieldOf(error, 'code')) ?? 'UNKNOWN',
    message: textOf(fieldOf(error, 'message')) ?? otherwise,
    details: fieldOf(error, 'details'),
    requestId: textOf(fieldOf(error, 'requestId')) ?? headers.get('x-request-id'),
    headers,
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), Date.now()),
    isAfterLostAnswer,
  });
}

/** Invalid JSON means a truncated response. The cause is omitted, because it could quote a secret. */
function parsed({ text, origin }: Received): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConnectionError(`No complete response from ${origin}: it was truncated.`);
  }
}
