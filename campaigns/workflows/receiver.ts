import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../random.ts';
import { timeoutMs } from './settings.ts';

export interface Arrival {
  /** The `Idempotency-Key`. */
  readonly key: string;
  /** Method, path, and the headers of the workflow with the body: all that must be the same in every attempt. */
  readonly content: string;
  readonly atMs: number;
  /** How often a backup had been restored before. */
  readonly era: number;
}

const failingShare = 0.2;
/** The share of the failures that no repetition helps. */
const finalShare = 0.1;

/** A system that workflows send requests to, which fails a fifth of the time. */
export class Receiver {
  readonly arrivals: Arrival[] = [];
  failures = 0;
  era = 0;
  readonly #random: Random;
  readonly #server: Server;
  #port = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#server = createServer((request, response) => {
      request.on('error', () => {});
      response.on('error', () => {});
      this.#receive(request, response).catch(() => response.destroy());
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  end(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = Date.now();
    const { era } = this;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers } = request;
    const own = ['content-type', 'authorization', 'x-note'].map((name) => `${name}: ${headers[name]}`);
    const content = [`${method} ${url}`, ...own, Buffer.concat(chunks).toString()].join('\n');
    this.arrivals.push({ key: String(headers['idempotency-key']), content, atMs, era });
    if (this.#random.chance(failingShare)) this.#fail(response);
    else setTimeout(() => response.end('{"id":"lead-81"}'), this.#random.chance(0.1) ? 250 : this.#random.int(0, 20));
  }

  #fail(response: ServerResponse): void {
    this.failures += 1;
    if (this.#random.chance(finalShare)) response.writeHead(this.#random.pick([404, 302]), { location: '/' }).end();
    else if (this.#random.chance(0.25)) response.writeHead(429, { 'retry-after': '1' }).end('busy');
    else if (this.#random.chance(0.3)) response.destroy();
    else if (this.#random.chance(0.2)) setTimeout(() => response.end('late'), 2 * timeoutMs);
    else response.writeHead(503).end('down');
  }
}
