import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * The faults of a request. Those without "unseen" occur after the service has processed the request: it took effect,
 * and the client does not know.
 */
export const faults = [
  'unseen drop',
  'unseen 429',
  'unseen 503',
  'drop in work',
  'drop before the answer',
  'truncated',
  'truncated, framed as whole',
  'silence',
  'silence in the middle',
  '503 after it was done',
] as const;
export type Fault = (typeof faults)[number];

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly fault: Fault | null;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A proxy in front of a running service that disturbs the requests chosen by `decide`. */
export class FaultProxy {
  /** All requests, in order. */
  readonly seen: Seen[] = [];
  decide: (message: IncomingMessage) => Fault | null = () => null;
  /** The body of its own error responses. */
  retryAfter = '0';
  readonly #target: { readonly port: number };
  readonly #server = createServer((message, response) => void this.#pass(message, response));

  constructor(target: { readonly port: number }) {
    this.#target = target;
  }

  async start(port = 0): Promise<string> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The faults of the next requests; later ones pass. */
  next(...planned: readonly (Fault | null)[]): void {
    const left = [...planned];
    this.decide = () => left.shift() ?? null;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #pass(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = this.decide(message);
    const { method = '', url = '', headers } = message;
    this.seen.push({ method, url, headers, fault });
    const body = await buffer(message).catch(() => null);
    // A client that disconnected while sending expects nothing more.
    if (body === null) return;
    if (fault === 'unseen drop') response.destroy();
    else if (fault === 'unseen 429') this.#refuse(response, 429, 'RATE_LIMITED');
    else if (fault === 'unseen 503') this.#refuse(response, 503, 'SERVICE_UNAVAILABLE');
    else {
      if (fault === 'drop in work') response.destroy();
      const answer = await this.#forward({ method, url, headers, body });
      this.#give(answer, fault, response);
    }
  }

  async #forward(asked: { method: string; url: string; headers: object; body: Buffer }): Promise<Answer> {
    const { method, url: path, headers, body } = asked;
    const upstream = sendRequest({ port: this.#target.port, host: '127.0.0.1', method, path, headers: { ...headers } });
    upstream.end(body);
    const [reply] = (await once(upstream, 'response')) as [IncomingMessage];
    return { status: reply.statusCode ?? 0, headers: reply.headers, body: await buffer(reply) };
  }

  #give({ status, headers, body }: Answer, fault: Fault | null, response: ServerResponse): void {
    // The connection to the client belongs to the proxy.
    const { connection: _, 'keep-alive': __, ...kept } = headers;
    const half = body.subarray(0, body.length >> 1);
    switch (fault) {
      case null:
        response.writeHead(status, kept).end(body);
        break;
      case '503 after it was done':
        this.#refuse(response, 503, 'SERVICE_UNAVAILABLE');
        break;
      case 'truncated':
        response.writeHead(status, kept).write(half, () => response.destroy());
        break;
      case 'truncated, framed as whole':
        response.writeHead(status, { ...kept, 'content-length': half.length }).end(half);
        break;
      case 'silence in the middle':
        response.writeHead(status, kept).write(half);
        break;
      case 'silence':
        break;
      default:
        response.destroy();
    }
  }

  #refuse(response: ServerResponse, status: number, code: string): void {
    const error = { code, message: 'Refused by the proxy.', requestId: 'req_proxy' };
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': this.retryAfter });
    response.end(JSON.stringify({ error }));
  }
}
