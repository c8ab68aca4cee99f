import { ApiPromise, type WithResponse } from './api-promise.ts';
import { type DebugLog, logged } from './debug-log.ts';
import { VoiceAgentsError } from './errors.ts';
import { type PageBody, PagePromise } from './page.ts';
import type { Path } from './path.ts';
import { type Attempt, readFile, readResponse, readText, receive } from './response.ts';
import { mayHaveHappened, retryDelay, wait } from './retries.ts';
import { hasNode } from './runtime.ts';
import { sendFile, type UploadProgress } from './upload.ts';
import { version } from './version.ts';

/** Options of a single call. */
export interface RequestOptions {
  /** Timeout of one attempt in milliseconds, including the response body. Default: that of the client. */
  readonly timeout?: number | undefined;
  /** Aborts the call with all its retries and waits; it rejects with `signal.reason`, as `fetch` does. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum number of retries. Default: that of the client. */
  readonly maxRetries?: number | undefined;
  /** Additional headers, such as `{ prefer: 'handling=strict' }`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options of calls that would have a second effect if they were sent twice. */
export interface RepeatableOptions {
  /** Identifies repeated requests. Default: a new key for each call, shared by all its attempts. */
  readonly idempotencyKey?: string | undefined;
}

/** Options of calls that change an existing resource. */
export interface ConditionalOptions {
  /** The `etag` you read: the call succeeds only if nothing has changed since. Null is rejected. */
  readonly ifMatch?: string | null | undefined;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Several values are one parameter, separated by commas. */
export function joinedQuery(query: object): Query {
  type Scalar = string | number | boolean;
  const entries = Object.entries(query as Readonly<Record<string, Scalar | readonly Scalar[] | undefined>>);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'object' ? value.join(',') : value]),
  );
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: Path;
  readonly query?: Query;
  readonly body?: unknown;
  readonly options?: (RequestOptions & RepeatableOptions & ConditionalOptions) | undefined;
}

export interface TransportOptions {
  /** An API key or an access token. */
  readonly credential: string;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly fetch: typeof fetch;
  /** Sent with every request, unless the options of a call replace them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly debug?: DebugLog | undefined;
}

/** How to read the response of an attempt. */
export interface ResponseReader<T> {
  /** Turns a response into a result, or throws. Called once per attempt. */
  read(response: Response, origin: string, isAfterLostAnswer: boolean): Promise<T>;
  /** False if a failed attempt must be the last one. */
  mayRetry(): boolean;
}

/** Sends requests and retries them. The credential is private to it. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  request<T>(call: Call): ApiPromise<T> {
    return new ApiPromise(this.#exchange<T>(call));
  }

  /** `later` are the parameters of the following pages, if they differ from those of the first. */
  list<Item>(path: Path, query: Query, options: RequestOptions | undefined, later = query): PagePromise<Item> {
    const exchange = this.#exchange<PageBody<Item>>({ method: 'GET', path, query, options });
    return new PagePromise(exchange, (cursor) => this.list(path, { ...later, cursor }, options));
  }

  /** A list whose parameters are in the body of a POST. */
  search<Item>(path: Path, body: object, options: RequestOptions | undefined): PagePromise<Item> {
    const exchange = this.#exchange<PageBody<Item>>({ method: 'POST', path, body, options });
    return new PagePromise(exchange, (cursor) => this.search(path, { ...body, cursor }, options));
  }

  /** A response that is read while it arrives. */
  stream<T>(call: Call, reader: ResponseReader<T>): Promise<T> {
    return this.#attempts(call, 'text/event-stream', reader);
  }

  /** A response that is a file. */
  file(call: Call, mediaType: string): ApiPromise<ArrayBuffer> {
    const exchange = this.#attempts(call, mediaType, {
      read: (response, origin, isAfterLostAnswer) => readFile(response, origin, mediaType, isAfterLostAnswer),
      mayRetry: () => true,
    });
    return new ApiPromise(exchange);
  }

  /** Sends a file to a signed URL of a response, which needs no credential. */
  async upload(
    url: string,
    file: Blob,
    onProgress: ((progress: UploadProgress) => void) | undefined,
    options: RequestOptions,
  ): Promise<void> {
    const headers = new Headers({ accept: 'application/json', 'content-type': 'application/octet-stream' });
    const request = { method: 'PUT', headers, redirect: 'manual' as const };
    const send = sendFile(file, this.#options.fetch, onProgress);
    const label = 'PUT to the signed URL of an upload';
    await this.#repeated({ send, url: this.absoluteUrl(url), request, label }, options, jsonReader());
  }

  /** Resolves a URL of a response, which may be a path, as a client that sent the request sees it. */
  absoluteUrl(url: string): string {
    return url.startsWith('/') ? `${this.#options.baseUrl}${url}` : url;
  }

  /** How long one attempt may take, unless its options say otherwise. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  #exchange<T>(call: Call): Promise<WithResponse<T>> {
    return this.#attempts(call, 'application/json', jsonReader<T>());
  }

  async #attempts<T>(call: Call, accept: string, reader: ResponseReader<T>): Promise<T> {
    const url = `${this.#options.baseUrl}${call.path()}${queryText(call.query ?? {})}`;
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    // Created once, so that all attempts have the same Idempotency-Key.
    const headers = this.#headers(call, accept);
    // Redirects are reported, not followed: the key must only be sent to the configured URL.
    const request = {
      method: call.method,
      headers,
      redirect: 'manual' as const,
      ...(body === undefined ? {} : { body }),
    };
    const sent = { send: this.#options.fetch, url, request, label: `${call.method} ${call.path()}` };
    return this.#repeated(sent, call.options ?? {}, reader);
  }

  /** Sends the same request until it succeeds or no retry may help. */
  async #repeated<T>(
    sent: Pick<Attempt, 'send' | 'url' | 'request'> & { readonly label: string },
    options: RequestOptions,
    reader: ResponseReader<T>,
  ): Promise<T> {
    const { signal, timeout, maxRetries = this.#options.maxRetries } = options;
    const { debug } = this.#options;
    const send = debug === undefined ? sent.send : logged(sent.send, sent.label, debug);
    const attempt = { ...sent, send, timeoutMs: checkedTimeout(timeout ?? this.#options.timeoutMs), signal };
    checkedRetries(maxRetries);
    let isAfterLostAnswer = false;
    for (let retries = 0; ; retries += 1) {
      try {
        return await receive(attempt, (response, origin) => reader.read(response, origin, isAfterLostAnswer));
      } catch (error) {
        const delayMs = retries < maxRetries && reader.mayRetry() ? retryDelay(error, retries, Math.random()) : null;
        if (delayMs === null) throw error;
        debug?.(`${sent.label}: retry ${retries + 1} in ${Math.round(delayMs)} ms`);
        isAfterLostAnswer ||= mayHaveHappened(error);
        await wait(delayMs, signal);
      }
    }
  }

  #headers({ method, body, options = {} }: Call, accept: string): Headers {
    const headers = new Headers(this.#options.headers);
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    headers.set('accept', accept);
    headers.set('authorization', `Bearer ${this.#options.credential}`);
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

function jsonReader<T>(): ResponseReader<WithResponse<T>> {
  return {
    read: async (response, origin, isAfterLostAnswer) =>
      readResponse<T>(await readText(response, origin), isAfterLostAnswer),
    mayRetry: () => true,
  };
}

export function checkedTimeout(timeoutMs: number): number {
  if (typeof timeoutMs === 'number' && timeoutMs > 0) return timeoutMs;
  throw new VoiceAgentsError('timeout must be a positive number of milliseconds; use Infinity for no timeout.');
}

export function checkedRetries(maxRetries: number): number {
  if (Number.isInteger(maxRetries) && maxRetries >= 0) return maxRetries;
  throw new VoiceAgentsError('maxRetries must be a whole number of 0 or more.');
}

/** Without a tag the change would be unconditional, the opposite of what the caller wants. */
function checkedTag(tag: string | null): string {
  if (typeof tag === 'string' && /^[\x21-\x7e]+$/.test(tag)) return tag;
  throw new VoiceAgentsError('ifMatch must be an ETag: use the "etag" of the response you read.');
}

function checkedIdempotencyKey(key: string): string {
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw new VoiceAgentsError('idempotencyKey must be 1 to 255 printable ASCII characters.');
}

/** Not randomUUID, which browsers offer in secure contexts only. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
