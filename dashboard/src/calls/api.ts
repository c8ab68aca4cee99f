import { apiError, fieldOf, textOf } from '../../../sdk/src/errors.ts';
import { type ApiPromise, ConnectionError, type PagePromise, type RequestOptions } from '../../../sdk/src/index.ts';
import { path } from '../../../sdk/src/path.ts';
import { type Query, Transport } from '../../../sdk/src/request.ts';
import { readResponse } from '../../../sdk/src/response.ts';
import type { Call, CallEvent, CallReply, StorageSetting, Transcript } from './call.ts';
import { readEvents } from './event-stream.ts';

const timeoutMs = 30_000;
const maxRetries = 2;

/** A piece of a reply, while it is generated. */
export type ReplyPart =
  | { readonly kind: 'text'; readonly turn: number; readonly delta: string }
  | { readonly kind: 'tool'; readonly name: string };

export interface Message {
  /** Null opens the conversation. */
  readonly text: string | null;
  /** The same for every attempt, so that nothing is said twice. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  readonly onPart: (part: ReplyPart) => void;
}

/** The operations on calls that the dashboard uses. */
export class CallsApi {
  readonly #transport: Transport;
  readonly #apiKey: string;
  readonly #baseUrl: string;

  constructor(apiKey: string, baseUrl: string = location.origin) {
    this.#apiKey = apiKey;
    this.#baseUrl = baseUrl;
    this.#transport = new Transport({
      credential: apiKey,
      baseUrl,
      timeoutMs,
      maxRetries,
      fetch: (...given) => globalThis.fetch(...given),
    });
  }

  createChat(agentId: string, agentVersion: 'latest' | 'published', idempotencyKey: string): ApiPromise<Call> {
    return this.#transport.request({
      method: 'POST',
      path: path`/api/v1/calls`,
      body: { type: 'chat', agentId, agentVersion },
      // Someone is waiting, and can try again.
      options: { idempotencyKey, maxRetries: 0 },
    });
  }

  list(query: Query, options?: RequestOptions): PagePromise<Call> {
    return this.#transport.list(path`/api/v1/calls`, query, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<Call> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/calls/${id}`, options });
  }

  delete(id: string): ApiPromise<unknown> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/calls/${id}` });
  }

  redact(id: string, to: StorageSetting): ApiPromise<Call> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/calls/${id}/redact`, body: { to } });
  }

  end(id: string): ApiPromise<Call> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/calls/${id}/end` });
  }

  /** Ends a call while the page is being left: the browser sends it although nothing waits for the response. */
  endOnLeaving(id: string): void {
    const headers = this.#headers('application/json');
    fetch(this.#urlOf(id, 'end'), { method: 'POST', headers, keepalive: true }).catch(() => {
      // The silence timeout ends it as well, only later.
    });
  }

  transcript(id: string, options?: RequestOptions): ApiPromise<Transcript> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/calls/${id}/transcript`, options });
  }

  /** `waitSeconds` holds the request until there is a new event. */
  events(id: string, query: Query, options?: RequestOptions): PagePromise<CallEvent> {
    return this.#transport.list(path`/api/v1/calls/${id}/events`, query, options);
  }

  /** Sends a message and reports the reply while it is generated. Nothing is retried. */
  async sendMessage(id: string, { text, idempotencyKey, signal, onPart }: Message): Promise<CallReply> {
    const headers = this.#headers('text/event-stream');
    headers.set('content-type', 'application/json');
    headers.set('idempotency-key', idempotencyKey);
    const body = JSON.stringify(text === null ? {} : { text });
    try {
      const response = await fetch(this.#urlOf(id, 'messages'), { method: 'POST', headers, body, signal });
      const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
      if (response.ok && isStream && response.body !== null) return await readReply(response, onPart);
      const received = { response, text: await response.text(), origin: this.#baseUrl };
      return readResponse<CallReply>(received, false).data;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // What fetch throws if there is no complete response.
      if (error instanceof TypeError) throw new ConnectionError(error.message, { cause: error });
      throw error;
    }
  }

  #urlOf(id: string, operation: string): string {
    return `${this.#baseUrl}/api/v1/calls/${encodeURIComponent(id)}/${operation}`;
  }

  #headers(accept: string): Headers {
    return new Headers({ accept, authorization: `Bearer ${this.#apiKey}` });
  }
}

/** In a stream the status has already been sent, so an error is told by its code. */
const statusOf: Readonly<Record<string, number>> = {
  UPSTREAM_ERROR: 502,
  STATE_CONFLICT: 409,
  NOT_FOUND: 404,
  SERVICE_UNAVAILABLE: 503,
};

async function readReply(response: Response, onPart: (part: ReplyPart) => void): Promise<CallReply> {
  for await (const { name, data } of readEvents(response.body as ReadableStream<Uint8Array>)) {
    const content = JSON.parse(data);
    if (name === 'text') onPart({ kind: 'text', turn: content.turn, delta: content.delta });
    if (name === 'tool') onPart({ kind: 'tool', name: content.name });
    if (name === 'done') return content;
    if (name === 'error') throw streamedError(content, response.headers);
  }
  throw new ConnectionError('The reply was cut off.');
}

function streamedError(body: unknown, headers: Headers): Error {
  const error = fieldOf(body, 'error') ?? body;
  const code = textOf(fieldOf(error, 'code')) ?? 'UNKNOWN';
  return apiError({
    status: statusOf[code] ?? 500,
    code,
    message: textOf(fieldOf(error, 'message')) ?? code,
    details: fieldOf(error, 'details'),
    requestId: textOf(fieldOf(error, 'requestId')) ?? headers.get('x-request-id'),
    headers,
    retryAfterMs: null,
    isAfterLostAnswer: false,
  });
}
