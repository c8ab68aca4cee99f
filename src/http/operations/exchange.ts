import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AppError } from '../../core/errors.ts';
import { byteLength, type JsonBytes, StoredJson } from '../../core/stored-json.ts';
import type { Lifecycle } from '../../process/shutdown.ts';
import type { ByteBudget } from '../admission/byte-budget.ts';
import type { Caller } from '../admission/caller.ts';
import type { UnsentResponses } from '../admission/unsent-responses.ts';
import { errorBodyOf, statusOf, toAppError } from '../errors.ts';
import type { RequestLog } from '../request-log.ts';
import type { MediaReply } from './handlers.ts';
import { receiveBody } from './receive-body.ts';

export interface ExchangeParts {
  readonly requestLog: RequestLog;
  readonly requestIdOf: (headers: IncomingHttpHeaders) => string;
  readonly lifecycle: Lifecycle;
  /** For request bodies that are being received. */
  readonly requestBytes: ByteBudget;
  readonly unsentResponses: UnsentResponses;
  readonly hasQueued: (socket: Socket) => boolean;
}

/** Longer bodies are not copied. */
const maxJoinedBytes = 8 * 1024;

/** One request and its response. */
export class Exchange {
  readonly requestId: string;
  readonly receivedAt = performance.now();
  caller: Caller | null = null;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #routeId: string;
  readonly #parts: ExchangeParts;
  /** Names and values in turn, as Node takes them without copying. */
  readonly #headers: string[];

  constructor(request: IncomingMessage, response: ServerResponse, routeId: string, parts: ExchangeParts) {
    this.#request = request;
    this.#response = response;
    this.#routeId = routeId;
    this.#parts = parts;
    this.requestId = parts.requestIdOf(request.headers);
    this.#headers = ['x-request-id', this.requestId, 'x-content-type-options', 'nosniff'];
  }

  get method(): string {
    return this.#request.method as string;
  }

  get url(): string {
    return this.#request.url as string;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  get isDisconnected(): boolean {
    return this.#response.destroyed;
  }

  receiveBody(): Promise<Buffer> {
    return receiveBody(this.#request, this.#parts.requestBytes);
  }

  /** Names and values in turn. */
  addHeaders(headers: readonly string[]): void {
    this.#headers.push(...headers);
  }

  setHeaders(headers: Readonly<Record<string, string>> | undefined): void {
    for (const name in headers) this.#headers.push(name, headers[name] as string);
  }

  /** Aborted when the connection breaks before the client has its response. */
  get signal(): AbortSignal {
    const controller = new AbortController();
    this.#response.once('close', () => {
      if (!this.#response.writableFinished) controller.abort();
    });
    return controller.signal;
  }

  /** The response of an operation: JSON, or nothing where the status has no body. */
  sendJson(status: number, body: StoredJson<unknown> | null): void {
    this.#headers.push('cache-control', 'no-store');
    if (body !== null) this.#headers.push('content-type', 'application/json');
    const ownBytes = body?.ownBytes ?? null;
    if (ownBytes !== null) this.#response.once('close', () => free(ownBytes));
    this.send(status, body === null ? null : body.bytes);
    // Nearly always the kernel has taken all of it by now.
    const unsentBytes = this.#request.socket.writableLength;
    if (unsentBytes > 0 && this.caller !== null) {
      const { release } = this.#parts.unsentResponses.add(this.caller.workspaceId, unsentBytes);
      this.#response.once('close', release);
    }
  }

  /**
   * A stream or a file. It is read as fast as the client takes it. If it fails half-way the connection is closed, so that
   * the client does not take it for complete.
   */
  async sendMedia(status: number, type: string, { media, mediaBytes }: MediaReply): Promise<void> {
    this.#headers.push('content-type', type, 'cache-control', 'no-store');
    if (mediaBytes !== undefined) this.#headers.push('content-length', String(mediaBytes));
    this.#addConnectionHeader();
    const response = this.#response.writeHead(status, this.#headers);
    if (this.method === 'HEAD') response.end();
    else await pipeline(Readable.from(media), response).catch((error) => this.#onMediaError(error));
    this.#log(status);
  }

  send(status: number, body: JsonBytes | null): void {
    this.#addConnectionHeader();
    if (body !== null) this.#headers.push('content-length', String(byteLength(body)));
    const response = this.#response.writeHead(status, this.#headers);
    if (body === null || typeof body === 'string') response.end(body);
    else if (Buffer.isBuffer(body)) {
      // Node joins a string with the head into one write; of a Buffer it makes two, which take 2 µs more.
      if (body.length <= maxJoinedBytes) response.end(body.toString('latin1'), 'latin1');
      else response.end(body);
    } else {
      for (const chunk of body) response.write(chunk);
      response.end();
    }
    this.#log(status);
  }

  refuse(error: AppError): void {
    const status = statusOf(error);
    if (status >= 500 && !error.isExpected) this.#parts.requestLog.failure(this.requestId, error);
    // The response is on its way already, so there is nothing left to say.
    if (this.#response.headersSent) return;
    this.setHeaders(error.headers);
    this.sendJson(status, new StoredJson(JSON.stringify(errorBodyOf(error, this.requestId))));
  }

  #addConnectionHeader(): void {
    const { lifecycle, hasQueued } = this.#parts;
    if (lifecycle.stage === 'closing' && !hasQueued(this.#request.socket)) this.#headers.push('connection', 'close');
  }

  #log(status: number): void {
    this.#parts.requestLog.request({
      requestId: this.requestId,
      method: this.method,
      route: this.#routeId,
      status,
      durationMs: performance.now() - this.receivedAt,
      caller: this.caller,
    });
  }

  #onMediaError(error: NodeJS.ErrnoException): void {
    // The client has gone, which is nothing unusual.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') this.#parts.requestLog.failure(this.requestId, toAppError(error));
  }
}

/**
 * Frees the memory of a page at once. V8 does not see it, and collects the whole heap for every 64 MB of such pages: half
 * of the processor time of lists, and a hundred megabytes of memory.
 */
function free({ buffer, length }: Buffer): void {
  // Not if it is a part of something larger.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}
