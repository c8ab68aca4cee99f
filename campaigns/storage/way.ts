import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A network between the service and its database, which can be cut, stalled and slowed down. */
export class Way {
  readonly #target: URL;
  readonly #pairs = new Set<Pair>();
  #server: Server | null = null;
  #isStalled = false;
  #port = 0;
  /** How long every piece takes, in each direction. */
  delayMs = 0;

  constructor(target: URL) {
    this.#target = target;
  }

  /** The address of the database by this way. */
  get url(): string {
    const address = new URL(this.#target);
    address.hostname = '127.0.0.1';
    address.port = String(this.#port);
    return address.href;
  }

  async open(): Promise<void> {
    this.#server = createServer((client) => this.#connect(client));
    await new Promise<void>((resolve) => this.#server?.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as { port: number }).port;
  }

  /** Refuses connections and breaks those that there are. */
  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const pair of this.#pairs) pair.destroy();
    await closed;
  }

  /** Takes connections and bytes, and hands on nothing. */
  stall(): void {
    this.#isStalled = true;
  }

  /** Hands on what was held back; or, as a network that has forgotten its connections, never does. */
  unstall({ isForgetful = false } = {}): void {
    this.#isStalled = false;
    for (const pair of this.#pairs) {
      if (isForgetful) pair.forget();
      else pair.flush();
    }
  }

  #connect(client: Socket): void {
    const pair = new Pair(client, this.#target, {
      isStalled: () => this.#isStalled,
      delayMs: () => this.delayMs,
      onGone: () => this.#pairs.delete(pair),
    });
    this.#pairs.add(pair);
  }
}

interface PairParts {
  readonly isStalled: () => boolean;
  readonly delayMs: () => number;
  readonly onGone: () => void;
}

/** What is on its way in one direction, and must not overtake. */
interface Line {
  length: number;
  last: Promise<void>;
}

class Pair {
  readonly #client: Socket;
  readonly #upstream: Socket;
  #held: (() => void)[] = [];
  #isForgotten = false;

  constructor(client: Socket, target: URL, parts: PairParts) {
    const upstream = connect(Number(target.port), target.hostname);
    this.#client = client;
    this.#upstream = upstream;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      const line = { length: 0, last: Promise.resolve() };
      from.on('data', (chunk: Buffer) => this.#pass(() => to.write(chunk), line, parts));
      from.on('error', () => {});
      from.on('close', () => {
        to.destroy();
        parts.onGone();
      });
    }
  }

  flush(): void {
    for (const hand of this.#held.splice(0)) hand();
  }

  forget(): void {
    this.#isForgotten = true;
    this.#held = [];
    // The server ends what it no longer hears of; here that is now, so that its locks do not stand in the way.
    this.#upstream.removeAllListeners('close');
    this.#upstream.destroy();
  }

  destroy(): void {
    this.#client.destroy();
    this.#upstream.destroy();
  }

  #pass(hand: () => void, line: Line, { isStalled, delayMs }: PairParts): void {
    if (this.#isForgotten) return;
    if (isStalled() || this.#held.length > 0) this.#held.push(hand);
    else if (delayMs() > 0 || line.length > 0) {
      line.length += 1;
      line.last = line.last.then(async () => {
        await delay(delayMs());
        line.length -= 1;
        hand();
      });
    } else hand();
  }
}
