import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { serviceUnavailable } from '../errors.ts';
import type { Eventually } from '../eventually.ts';
import { bufferOf, type Piece } from '../pieces.ts';
import { BodyFault, largestBodyBytes } from './body.ts';

/** JSON, ready for the socket: as text, or in pieces. */
export type AnswerBody = string | readonly Piece[];

/** A request to an operation, and the way back to whoever sent it. */
export interface Transport {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly isAnswered: boolean;
  /** Nobody is there any more to be answered. */
  readonly isGone: boolean;
  /** The whole body; throws a BodyFault where it is too long. */
  readBody(): Eventually<Buffer>;
  /**
   * `headers` are names and values in turn; null is for statuses without a body. After the last answer the connection is
   * closed, and the client is told so, lest it send its next request into it. Not where it has sent that already.
   */
  answer(status: number, headers: string[], body: AnswerBody | null, isLast: boolean): void;
}

/**
 * What bodies that are being read may take together, past what each may have anyway: whoever sends many large ones, slowly,
 * would otherwise fill the memory.
 */
export class BodyRoom {
  readonly #mostBytes: number;
  #taken = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The room for a body that is so long by now; false where there is none. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#mostBytes) return false;
    this.#taken += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes;
  }
}

/** A body that fits this is always read. */
const roomForEach = 64 * 1024;

export interface NodeTransportParts {
  readonly bodyRoom: BodyRoom;
  /** Whether no other request has followed on the same connection. */
  readonly isNewest: () => boolean;
}

/** The way through Node's own HTTP server, which takes whatever HTTP allows. */
export class NodeTransport implements Transport {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #parts: NodeTransportParts;

  constructor(request: IncomingMessage, response: ServerResponse, parts: NodeTransportParts) {
    this.method = request.method ?? '';
    this.url = request.url ?? '';
    this.headers = request.headers;
    this.#request = request;
    this.#response = response;
    this.#parts = parts;
  }

  get isAnswered(): boolean {
    return this.#response.headersSent;
  }

  get isGone(): boolean {
    return this.#response.destroyed;
  }

  /** What is left of a body that is too long is read and dropped, not kept. */
  readBody(): Promise<Buffer> {
    const request = this.#request;
    const room = this.#parts.bodyRoom;
    return new Promise((resolve, reject) => {
      if (Number(request.headers['content-length'] ?? 0) > largestBodyBytes) {
        reject(new BodyFault('the body is larger than 1 MiB'));
        return;
      }
      const chunks: Buffer[] = [];
      let length = 0;
      let taken = 0;
      const stop = (): void => {
        request.off('data', onData);
        room.giveBack(taken);
        taken = 0;
      };
      const refuse = (fault: Error): void => {
        stop();
        request.resume();
        reject(fault);
      };
      const onData = (chunk: Buffer): void => {
        length += chunk.length;
        if (length > largestBodyBytes) {
          refuse(new BodyFault('the body is larger than 1 MiB'));
          return;
        }
        const wanted = Math.max(0, length - roomForEach) - taken;
        if (!room.take(wanted)) {
          refuse(serviceUnavailable('Too many large requests are being sent at once.'));
          return;
        }
        taken += wanted;
        chunks.push(chunk);
      };
      request.on('data', onData);
      request.once('end', () => {
        stop();
        resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
      });
      // Nobody is there any more to be told, but nothing may be left waiting either.
      request.once('error', () => {
        stop();
        reject(new BodyFault('the body ended early'));
      });
    });
  }

  answer(status: number, headers: string[], body: AnswerBody | null, isLast: boolean): void {
    const response = this.#response;
    if (isLast && this.#parts.isNewest()) headers.push('connection', 'close');
    if (body === null) response.writeHead(status, headers).end();
    else if (typeof body === 'string') {
      headers.push('content-length', String(Buffer.byteLength(body)));
      response.writeHead(status, headers).end(body);
    } else {
      const bytes = bufferOf(body);
      headers.push('content-length', String(bytes.length));
      response.writeHead(status, headers).end(bytes);
    }
  }
}
