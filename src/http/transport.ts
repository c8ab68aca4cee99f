import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
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
  /** The whole body; throws a BodyFault where it is too long. */
  readBody(): Eventually<Buffer>;
  /**
   * `headers` are names and values in turn; null is for statuses without a body. After the last answer the connection is
   * closed, and the client is told so, lest it send its next request into it. Not where it has sent that already.
   */
  answer(status: number, headers: string[], body: AnswerBody | null, isLast: boolean): void;
}

/** The way through Node's own HTTP server, which takes whatever HTTP allows. */
export class NodeTransport implements Transport {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #isNewest: () => boolean;

  constructor(request: IncomingMessage, response: ServerResponse, isNewest: () => boolean) {
    this.method = request.method ?? '';
    this.url = request.url ?? '';
    this.headers = request.headers;
    this.#request = request;
    this.#response = response;
    this.#isNewest = isNewest;
  }

  get isAnswered(): boolean {
    return this.#response.headersSent;
  }

  /** What is left of a body that is too long is read and dropped, not kept. */
  readBody(): Promise<Buffer> {
    const request = this.#request;
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

  answer(status: number, headers: string[], body: AnswerBody | null, isLast: boolean): void {
    const response = this.#response;
    if (isLast && this.#isNewest()) headers.push('connection', 'close');
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
