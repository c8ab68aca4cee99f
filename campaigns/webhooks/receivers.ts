import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../random.ts';
import { timeoutMs } from './settings.ts';

/** What a receiver does with the n-th request for the same event, from 0. */
type Behaviour = (response: ServerResponse, nth: number, random: Random) => void;

export interface Arrival {
  readonly eventId: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  /** By the clock of the database's machine, which is this one. */
  readonly atMs: number;
  isAccepted: boolean;
}

const ok: Behaviour = (response) => void response.end('ok');
const status = (code: number, headers: Record<string, string> = {}): Behaviour => {
  return (response) => void response.writeHead(code, headers).end('no');
};

/** How long the receiver asks to wait, in seconds. */
export const retryAfterSeconds = 1;

const behaviours = {
  good: ok,
  'good-with-transcript': ok,
  fails: status(500),
  flaky: (response, nth, random) => (random.chance(0.3) && nth < 2 ? status(503) : ok)(response, nth, random),
  hangs: (response, nth, random) => {
    if (nth > 0 || random.chance(0.7)) ok(response, nth, random);
  },
  redirects: status(302, { location: '/trap' }),
  busy: (response, nth, random) =>
    (nth === 0 && random.chance(0.3) ? status(429, { 'retry-after': String(retryAfterSeconds) }) : ok)(
      response,
      nth,
      random,
    ),
  resets: (response, nth, random) => {
    if (nth < 2 && random.chance(0.3)) response.destroy();
    else ok(response, nth, random);
  },
  late: (response, nth, random) => {
    if (nth > 0 || random.chance(0.7)) ok(response, nth, random);
    else setTimeout(() => ok(response, nth, random), timeoutMs * 1.5);
  },
} satisfies Record<string, Behaviour>;

export type ReceiverName = keyof typeof behaviours | 'gone' | 'dead';
export const receiverNames = [...Object.keys(behaviours), 'gone', 'dead'] as readonly ReceiverName[];
/** Those that accept every event in the end. */
export const reliable: readonly ReceiverName[] = ['good', 'good-with-transcript'];

/** Receivers of every kind on one port, and what arrived at each. */
export class Receivers {
  readonly arrivals = new Map<ReceiverName, Arrival[]>();
  /** Events that were written while only the good receivers were active. */
  readonly calm = new Set<string>();
  /** Requests where none may be sent: the target of a redirect. */
  trapped = 0;
  readonly #counts = new Map<string, number>();
  readonly #server: Server;
  readonly #random: Random;
  readonly #goneAfter: number;
  #port = 0;

  constructor(random: Random, goneAfter: number) {
    this.#random = random;
    this.#goneAfter = goneAfter;
    for (const name of receiverNames) this.arrivals.set(name, []);
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

  end(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  urlOf(name: ReceiverName): string {
    // Nothing listens on the lowest port that is allowed.
    return name === 'dead' ? 'http://127.0.0.1:1024/dead' : `http://127.0.0.1:${this.#port}/${name}`;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = Date.now();
    const name = (request.url ?? '').slice(1) as ReceiverName;
    const own = this.arrivals.get(name);
    if (own === undefined) {
      this.trapped += 1;
      response.end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const eventId = String(request.headers['webhook-id']);
    const nth = this.#counts.get(`${name} ${eventId}`) ?? 0;
    this.#counts.set(`${name} ${eventId}`, nth + 1);
    const arrival: Arrival = {
      eventId,
      timestamp: String(request.headers['webhook-timestamp']),
      signature: String(request.headers['webhook-signature']),
      body: Buffer.concat(chunks).toString('utf8'),
      atMs,
      isAccepted: false,
    };
    own.push(arrival);
    response.once('finish', () => {
      arrival.isAccepted = response.statusCode === 200;
    });
    if (name === 'gone') (own.length > this.#goneAfter ? status(410) : ok)(response, nth, this.#random);
    else behaviours[name as keyof typeof behaviours](response, nth, this.#random);
  }
}
