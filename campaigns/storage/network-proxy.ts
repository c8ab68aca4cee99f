import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A proxy between the service and its database that can cut, stall and delay connections. */
export class NetworkProxy {
  readonly #target: URL;
  readonly #pairs = new Set<Pair>();
  #server: Server | null = null;
  #isStalled = false;
  #port = 0;
  /** The delay of every chunk, in each direction. */
  delayMs = 0;

  constructor(target: URL) {
    this.#target = target;
  }

  /** The database URL through this proxy. */
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

  /** Refuses new connections and breaks existing ones. */
  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const pair of this.#pairs) pair.destroy();
    await closed;
  }

  /** Resets the connections for which this is true, and accepts new ones. */
  reset(isChosen: () => boolean): void {
    for (const pair of this.#pairs) if (isChosen()) pair.reset();
  }

  /** Accepts connections and bytes but forwards nothing. */
  stall(): void {
    this.#isStalled = true;
  }

  /** Forwards what was held back or, like a network that has lost its connection state, drops it. */
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

/** Chunks in transit in one direction, which must stay in order. */
interface Direction {
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
      const direction = { length: 0, last: Promise.resolve() };
      from.on('data', (chunk: Buffer) => this.#pass(() => to.write(chunk), direction, parts));
      from.on('error', () => {});
      from.on('close', () => {
        to.destroy();
        parts.onGone();
      });
    }
  }

  flush(): void {
    for (const forward of this.#held.splice(0)) forward();
  }

  forget(): void {
    this.#isForgotten = true;
    this.#held = [];
    // The server would eventually end a lost connection. It is ended here so that its locks do not interfere.
    this.#upstream.removeAllListeners('close');
    this.#upstream.destroy();
  }

  destroy(): void {
    this.#client.destroy();
    this.#upstream.destroy();
  }

  reset(): void {
    this.#client.resetAndDestroy();
    this.#upstream.resetAndDestroy();
  }

  #pass(forward: () => void, direction: Direction, { isStalled, delayMs }: PairParts): void {
    if (this.#isForgotten) return;
    if (isStalled() || this.#held.length > 0) this.#held.push(forward);
    else if (delayMs() > 0 || direction.length > 0) {
      direction.length += 1;
      direction.last = direction.last.then(async () => {
        await delay(delayMs());
        direction.length -= 1;
        forward();
      });
    } else forward();
  }
}
