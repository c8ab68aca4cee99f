import { readAnswer, receive } from './answer.ts';
import { ApiPromise, type WithResponse } from './api-promise.ts';
import { VoiceAgentsError } from './errors.ts';
import { type PageBody, PagePromise } from './page.ts';
import type { Path } from './path.ts';
import { mayHaveHappened, retryDelay, wait } from './retries.ts';
import { hasNode } from './runtime.ts';
import { version } from './version.ts';

/** What can be said about any single call. */
export interface RequestOptions {
  /** Milliseconds that one try may take, its whole answer included. Default: that of the client. */
  readonly timeout?: number | undefined;
  /** Ends the call, its tries and the waits between them; it rejects with `signal.reason`, as `fetch` does. */
  readonly signal?: AbortSignal | undefined;
  /** How many times to try again at the most. Default: that of the client. */
  readonly maxRetries?: number | undefined;
  /** Further headers, such as `{ prefer: 'handling=strict' }`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** For what would have a second effect if it were sent twice. */
export interface RepeatableOptions {
  /** Under which the service knows a repeat. Default: a new one for each call, the same for all of its tries. */
  readonly idempotencyKey?: string | undefined;
}

/** For what may be changed by others. */
export interface ConditionalOptions {
  /** The `etag` that you read: the call goes through only where nothing has changed since. Null is refused. */
  readonly ifMatch?: string | null | undefined;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: Path;
  readonly query?: Query;
  readonly body?: unknown;
  readonly options?: (RequestOptions & RepeatableOptions & ConditionalOptions) | undefined;
}

export interface TransportOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly fetch: typeof fetch;
}

/** Sends requests, again where that may help. Has the key, and shows it to nobody. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  request<T>(call: Call): ApiPromise<T> {
    return new ApiPromise(this.#exchange<T>(call));
  }

  list<Item>(path: Path, query: Query, options: RequestOptions | undefined): PagePromise<Item> {
    const exchange = this.#exchange<PageBody<Item>>({ method: 'GET', path, query, options });
    return new PagePromise(exchange, (cursor) => this.list(path, { ...query, cursor }, options));
  }

  async #exchange<T>(call: Call): Promise<WithResponse<T>> {
    const { signal, timeout, maxRetries = this.#options.maxRetries } = call.options ?? {};
    const timeoutMs = checkedTimeout(timeout ?? this.#options.timeoutMs);
    checkedRetries(maxRetries);
    const url = `${this.#options.baseUrl}${call.path()}${queryText(call.query ?? {})}`;
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    // Made once: all tries carry the same Idempotency-Key.
    const headers = this.#headers(call);
    // A redirect is told, not followed: the key goes nowhere but to the address that was given.
    const request = {
      method: call.method,
      headers,
      redirect: 'manual' as const,
      ...(body === undefined ? {} : { body }),
    };
    let isAfterLostAnswer = false;
    for (let retries = 0; ; retries += 1) {
      try {
        const received = await receive(this.#options.fetch, url, request, timeoutMs, signal);
        return readAnswer<T>(received, isAfterLostAnswer);
      } catch (error) {
        const delayMs = retries < maxRetries ? retryDelay(error, retries, Math.random()) : null;
        if (delayMs === null) throw error;
        isAfterLostAnswer ||= mayHaveHappened(error);
        await wait(delayMs, signal);
      }
    }
  }

  #headers({ method, body, options = {} }: Call): Headers {
    const headers = new Headers(options.headers);
    headers.set('accept', 'application/json');
    headers.set('authorization', `Bearer ${this.#options.apiKey}`);
    if (hasNode()) headers.set('user-agent', `voice-agent-sdk/${version}`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (options.ifMatch !== undefined) headers.set('if-match', checkedTag(options.ifMatch));
    if (options.idempotencyKey !== undefined) {
      headers.set('idempotency-key', checkedIdempotencyKey(options.idempotencyKey));
    } else if (method === 'POST' && !headers.has('idempotency-key')) {
      headers.set('idempotency-key', newIdempotencyKey());
    }
    return headers;
  }
}

export function checkedTimeout(timeoutMs: number): number {
  if (typeof timeoutMs === 'number' && timeoutMs > 0) return timeoutMs;
  throw new VoiceAgentsError('timeout must be a number of milliseconds above 0; Infinity for none.');
}

export function checkedRetries(maxRetries: number): number {
  if (Number.isInteger(maxRetries) && maxRetries >= 0) return maxRetries;
  throw new VoiceAgentsError('maxRetries must be a whole number from 0.');
}

/** Sent without a tag, the change would be made whatever is there: the opposite of what was asked for. */
function checkedTag(tag: string | null): string {
  if (typeof tag === 'string' && /^[\x21-\x7e]+$/.test(tag)) return tag;
  throw new VoiceAgentsError('ifMatch must be an ETag: take "etag" of the response that you read.');
}

function checkedIdempotencyKey(key: string): string {
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw new VoiceAgentsError('idempotencyKey must be 1 to 255 printable ASCII characters.');
}

/** Not randomUUID, which browsers have on https alone. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
