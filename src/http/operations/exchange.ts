import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AppError } from '../../core/errors.ts';
import { byteLength, type JsonBytes, StoredJson } from '../../core/stored-json.ts';
import type { ByteBudget } from '../admission/byte-budget.ts';
import type { Caller } from '../admission/caller.ts';
import type { UnsentResponses } from '../admission/unsent-responses.ts';
import type { ClientAddresses } from '../client-address.ts';
import { errorBodyOf, statusOf, toAppError } from '../errors.ts';
import type { RequestLog } from '../request-log.ts';
import type { Lifecycle } from '../shutdown.ts';
import { largestBodyBytes, receiveBody } from './body.ts';
import type { MediaReply } from './handlers.ts';

export interface ExchangeParts {
  readonly requestLog: RequestLog;
  readonly requestIdOf: (headers: IncomingHttpHeaders) => string;
  readonly clientAddresses: ClientAddresses;
  readonly lifecycle: Lifecycle;
  /** The budget for request bodies being received. */
  readonly requestBytes: ByteBudget;
  readonly unsentResponses: UnsentResponses;
  readonly hasQueued: (socket: Socket) => boolean;
}

/** Longer bodies are not copied into one write with the headers. */
const maxJoinedBytes = 8 * 1024;

/** One request and its response. */
export class Exchange {
  readonly requestId: string;
  /** The address of the client; null if it is unknown. */
  readonly address: string | null;
  readonly receivedAt = performance.now();
  caller: Caller | null = null;
  #hasWaited = false;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #routeId: string;
  readonly #parts: ExchangeParts;
  /** Alternating names and values, which Node takes without copying. */
  readonly #headers: string[];

  constructor(request: IncomingMessage, response: ServerResponse, routeId: string, parts: ExchangeParts) {
    this.#request = request;
    this.#response = response;
    this.#routeId = routeId;
    this.#parts = parts;
    this.requestId = parts.requestIdOf(request.headers);
    // Now, because a closed connection has no address any more.
    this.address = parts.clientAddresses.ofRequest(request);
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

  receiveBody(maxBytes = largestBodyBytes): Promise<Buffer> {
    return receiveBody(this.#request, this.#parts.requestBytes, maxBytes);
  }

  /** For a body that is stored while it arrives. Stopping early does not break the connection. */
  bodyChunks(): AsyncIterable<Buffer> {
    return this.#request.iterator({ destroyOnReturn: false });
  }

  /** Reads the rest, so that a client that reads only after sending everything gets the response. */
  discardBody(): void {
    this.#request.resume();
  }

  /** Alternating names and values. */
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

  /**
   * For a response that waits for something new. The signal is aborted when the wait is pointless: the client
   * disconnects or half-closes the connection, or the service starts to shut down.
   */
  startWaiting(): AbortSignal {
    this.#hasWaited = true;
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    const { socket } = this.#request;
    const cancel = this.#parts.lifecycle.onDrain(stop);
    socket.once('end', stop);
    this.#response.once('close', () => {
      cancel();
      socket.off('end', stop);
      if (!this.#response.writableFinished) stop();
    });
    return controller.signal;
  }

  /** Sends the response of an operation: JSON, or no body if the status has none. */
  sendJson(status: number, body: StoredJson<unknown> | null): void {
    this.#headers.push('cache-control', 'no-store');
    if (body !== null) this.#headers.push('content-type', 'application/json');
    const ownBytes = body?.ownBytes ?? null;
    if (ownBytes !== null) this.#response.once('close', () => free(ownBytes));
    this.send(status, body === null ? null : body.bytes);
    // Usually the kernel has taken everything by now.
    const unsentBytes = this.#request.socket.writableLength;
    if (unsentBytes > 0 && this.caller !== null) {
      const { release } = this.#parts.unsentResponses.add(this.caller.workspaceId, unsentBytes);
      this.#response.once('close', release);
    }
  }

  /**
   * Sends a stream or a file, as fast as the client reads it. If it fails midway the connection is closed, so that the
   * client does not take the body for complete.
   */
  async sendMedia(status: number, type: string, { media, mediaBytes }: MediaReply): Promise<void> {
    this.#headers.push('content-type', type, 'cache-control', 'no-store');
    if (mediaBytes !== undefined) this.#headers.push('content-length', String(mediaBytes));
    const isEventStream = type.startsWith('text/event-stream');
    // nginx would otherwise collect events before it passes them on.
    if (isEventStream) this.#headers.push('x-accel-buffering', 'no');
    this.#addConnectionHeader();
    const response = this.#response.writeHead(status, this.#headers);
    // Node would otherwise send the headers with the first chunk, which may take seconds.
    if (isEventStream) response.flushHeaders();
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
      // Node writes the headers and a string body in one write, but a Buffer in a second one, which takes 2 µs more.
      if (body.length <= maxJoinedBytes) response.end(body.toString('latin1'), 'latin1');
      else response.end(body);
    } else {
      for (const chunk of body) response.write(chunk);
      response.end();
    }
    this.#log(status);
  }

  logFailure(error: AppError): void {
    this.#parts.requestLog.failure(this.requestId, error);
  }

  refuse(error: AppError): void {
    const status = statusOf(error);
    if (status >= 500 && !error.isExpected) this.logFailure(error);
    // The headers are already sent, so the error cannot be reported to the client.
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
      address: this.address,
      caller: this.caller,
      hasWaited: this.#hasWaited,
    });
  }

  #onMediaError(error: NodeJS.ErrnoException): void {
    // The client disconnected, which is not a failure.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') this.#parts.requestLog.failure(this.requestId, toAppError(error));
  }
}

/**
 * Frees the memory of a page immediately. V8 does not account for it and collects the whole heap for every 64 MB of
 * such pages, which costs half of the processor time of lists and a hundred megabytes of memory.
 */
function free({ buffer, length }: Buffer): void {
  // A view of a larger buffer is left alone.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}
