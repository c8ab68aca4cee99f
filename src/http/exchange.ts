import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppError } from '../errors.ts';
import { BodyFault, largestBodyBytes } from './body.ts';
import type { Caller } from './caller.ts';
import { errorBodyOf, statusOf } from './errors.ts';
import type { Journal } from './journal.ts';

/** A request to an operation, and the answer that is being put together for it. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly requestId: string;
  caller: Caller | null = null;
  readonly #response: ServerResponse;
  readonly #route: string;
  readonly #journal: Journal;
  readonly #startedAt = performance.now();
  /** Names and values in turn, which Node writes as they are. */
  readonly #headers: string[];

  constructor(request: IncomingMessage, response: ServerResponse, requestId: string, route: string, journal: Journal) {
    this.request = request;
    this.requestId = requestId;
    this.#response = response;
    this.#route = route;
    this.#journal = journal;
    this.#headers = ['x-request-id', requestId, 'x-content-type-options', 'nosniff', 'cache-control', 'no-store'];
  }

  add(headers: readonly string[]): void {
    this.#headers.push(...headers);
  }

  addAll(headers: Readonly<Record<string, string>> | undefined): void {
    for (const name in headers) this.#headers.push(name, headers[name] as string);
  }

  /** Null where the status has no body. */
  send(status: number, body: string | readonly Buffer[] | null): void {
    const response = this.#response;
    if (body === null) response.writeHead(status, this.#headers).end();
    else if (typeof body === 'string') {
      // Text goes out with the headers in one piece, which costs less than two.
      this.#headers.push('content-type', 'application/json', 'content-length', String(Buffer.byteLength(body)));
      response.writeHead(status, this.#headers).end(body);
    } else {
      const length = body.reduce((sum, piece) => sum + piece.length, 0);
      this.#headers.push('content-type', 'application/json', 'content-length', String(length));
      response.writeHead(status, this.#headers);
      response.cork();
      for (const piece of body) response.write(piece);
      response.end();
      response.uncork();
    }
    const { requestId, caller } = this;
    this.#journal.request({
      requestId,
      method: this.request.method ?? 'none',
      route: this.#route,
      status,
      durationMs: performance.now() - this.#startedAt,
      caller,
    });
  }

  refuse(error: AppError): void {
    const status = statusOf(error);
    if (status >= 500) this.#journal.fault(this.requestId, error);
    // The answer is on its way already: there is nothing left to tell.
    if (this.#response.headersSent) return;
    this.addAll(error.headers);
    this.send(status, JSON.stringify(errorBodyOf(error, this.requestId)));
  }

  /** The whole body; throws a BodyFault where it is too long. What is left of it is then read and dropped, not kept. */
  readBody(): Promise<Buffer> {
    const { request } = this;
    return new Promise((resolve, reject) => {
      if (Number(request.headers['content-length'] ?? 0) > largestBodyBytes) {
        reject(new BodyFault('the body is larger than 1 MiB'));
        return;
      }
      const chunks: Buffer[] = [];
      let length = 0;
      const onData = (chunk: Buffer): void => {
        length += chunk.length;
        if (length <= largestBodyBytes) chunks.push(chunk);
        else {
          request.off('data', onData);
          request.resume();
          reject(new BodyFault('the body is larger than 1 MiB'));
        }
      };
      request.on('data', onData);
      request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
      // Nobody is there any more to be told, but nothing may be left waiting either.
      request.once('error', () => reject(new BodyFault('the body ended early')));
    });
  }
}
