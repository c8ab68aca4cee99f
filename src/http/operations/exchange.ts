import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AppError } from '../../core/errors.ts';
import type { Lifecycle } from '../../process/shutdown.ts';
import type { ByteBudget } from '../admission/byte-budget.ts';
import type { Caller } from '../admission/caller.ts';
import type { UnsentResponses } from '../admission/unsent-responses.ts';
import { errorBodyOf, statusOf } from '../errors.ts';
import type { RequestLog } from '../request-log.ts';
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

/** Several Buffers are sent one after the other, without being copied into one. */
export type ResponseBody = string | Buffer | readonly Buffer[];

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

  /** The response of an operation: JSON, or nothing where the status has no body. */
  sendJson(status: number, body: ResponseBody | null, ownBytes: Buffer | null = null): void {
    this.#headers.push('cache-control', 'no-store');
    if (body !== null) this.#headers.push('content-type', 'application/json');
    if (ownBytes !== null) this.#response.once('close', () => free(ownBytes));
    this.send(status, body);
    // Nearly always the kernel has taken all of it by now.
    const unsentBytes = this.#request.socket.writableLength;
    if (unsentBytes > 0 && this.caller !== null) {
      const { release } = this.#parts.unsentResponses.add(this.caller.workspaceId, unsentBytes);
      this.#response.once('close', release);
    }
  }

  send(status: number, body: ResponseBody | null): void {
    const headers = this.#headers;
    const { lifecycle, hasQueued, requestLog } = this.#parts;
    if (lifecycle.stage === 'closing' && !hasQueued(this.#request.socket)) headers.push('connection', 'close');
    if (body !== null) headers.push('content-length', String(byteLength(body)));
    const response = this.#response.writeHead(status, headers);
    if (body === null || typeof body === 'string') response.end(body);
    else if (Buffer.isBuffer(body)) {
      // Node joins a string with the head into one write; of a Buffer it makes two, which take 2 µs more.
      if (body.length <= maxJoinedBytes) response.end(body.toString('latin1'), 'latin1');
      else response.end(body);
    } else {
      for (const chunk of body) response.write(chunk);
      response.end();
    }
    requestLog.request({
      requestId: this.requestId,
      method: this.method,
      route: this.#routeId,
      status,
      durationMs: performance.now() - this.receivedAt,
      caller: this.caller,
    });
  }

  refuse(error: AppError): void {
    const status = statusOf(error);
    if (status >= 500 && !error.isExpected) this.#parts.requestLog.failure(this.requestId, error);
    // The response is on its way already, so there is nothing left to say.
    if (this.#response.headersSent) return;
    this.setHeaders(error.headers);
    this.sendJson(status, JSON.stringify(errorBodyOf(error, this.requestId)));
  }
}

export function byteLength(body: ResponseBody): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (Buffer.isBuffer(body)) return body.length;
  return body.reduce((sum, { length }) => sum + length, 0);
}

/**
 * Frees the memory of a page at once. V8 does not see it, and collects the whole heap for every 64 MB of such pages: half
 * of the processor time of lists, and a hundred megabytes of memory.
 */
function free({ buffer, length }: Buffer): void {
  // Not if it is a part of something larger.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}
