import { connect, type Socket } from 'node:net';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { parseReply, type Reply, type RequestOptions, requestBytes } from '../connection.ts';

/** The proxy has no response: its client would see 502. */
export class BadGateway extends Error {
  override readonly name = 'BadGateway';
}

/**
 * An error before any byte of the response. Whether the request was passed to the kernel decides if it may be retried.
 */
class UpstreamError extends Error {
  readonly isSent: boolean;
  constructor(reason: string, isSent: boolean) {
    super(reason);
    this.isSent = isSent;
  }
}

export interface UpstreamsOptions {
  /** How often /readyz of each instance is checked; null if the proxy relies on refused connections. */
  readonly checkEveryMs: number | null;
  /** How long a failed instance is not used. */
  readonly failTimeoutMs: number;
}

/** POST and PATCH are never sent twice, as in nginx: the first one may have taken effect. */
const idempotent = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);
const maxConnectMs = 2000;
const maxAnswerMs = 30_000;

/**
 * The upstream side of a proxy, by the rules of nginx with deploy/nginx.conf: least connections, with keep-alive, most
 * recently used connection first. If a connection is refused, or breaks before any byte of the response, the request
 * goes to the next instance, unless it was sent and the method is POST or PATCH: then the request is lost. With
 * `checkEveryMs`, the readiness of instances is also checked, as other proxies do.
 */
export class Upstreams {
  readonly #instances: Instance[];
  readonly #options: UpstreamsOptions;
  readonly #checks: NodeJS.Timeout[] = [];
  #roundRobin = 0;
  /** Requests that were retried on the next instance, invisible to the client. */
  passedOn = 0;

  constructor(ports: readonly number[], options: UpstreamsOptions) {
    this.#options = options;
    this.#instances = ports.map((port) => new Instance(port));
    const { checkEveryMs } = options;
    if (checkEveryMs === null) return;
    for (const instance of this.#instances) {
      this.#checks.push(setInterval(() => void instance.check(), checkEveryMs));
    }
  }

  /** Whether requests may be sent to this instance now. */
  isUp(port: number): boolean {
    return this.#instances.some((instance) => instance.port === port && instance.isUp());
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    const bytes = requestBytes(method, path, options);
    const tried = new Set<Instance>();
    for (;;) {
      const instance = this.#choose(tried);
      if (instance === undefined) throw new BadGateway('no instance is left to ask');
      tried.add(instance);
      try {
        return await instance.send(bytes, method === 'HEAD');
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        instance.leaveAlone(this.#options.failTimeoutMs);
        if (error.isSent && !idempotent.has(method)) throw new BadGateway(error.message);
        this.passedOn += 1;
      }
    }
  }

  close(): void {
    for (const check of this.#checks) clearInterval(check);
    for (const instance of this.#instances) instance.close();
  }

  #choose(tried: ReadonlySet<Instance>): Instance | undefined {
    this.#roundRobin += 1;
    const usable = this.#instances.filter((instance) => !tried.has(instance) && instance.isUp());
    const fewest = Math.min(...usable.map(({ inWork }) => inWork));
    const best = usable.filter(({ inWork }) => inWork === fewest);
    return best[this.#roundRobin % Math.max(1, best.length)];
  }
}

class Instance {
  readonly port: number;
  readonly #idle: KeptConnection[] = [];
  #isReady = true;
  #isChecking = false;
  #leftAloneUntil = 0;
  inWork = 0;

  constructor(port: number) {
    this.port = port;
  }

  isUp(): boolean {
    return this.#isReady && performance.now() >= this.#leftAloneUntil;
  }

  leaveAlone(forMs: number): void {
    this.#leftAloneUntil = performance.now() + forMs;
  }

  async check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const asking = new KeptConnection(this.port, () => {});
    try {
      const { status } = await asking.send(requestBytes('GET', '/readyz'), false);
      this.#isReady = status === 200;
    } catch {
      this.#isReady = false;
    }
    asking.destroy();
    this.#isChecking = false;
  }

  async send(bytes: Buffer, isHead: boolean): Promise<Reply> {
    this.inWork += 1;
    try {
      const connection = (await this.#takeIdle()) ?? new KeptConnection(this.port, this.#forget);
      const reply = await connection.send(bytes, isHead);
      if (reply.headers.get('connection')?.toLowerCase() === 'close') connection.destroy();
      else if (connection.isUsable) this.#idle.push(connection);
      return reply;
    } finally {
      this.inWork -= 1;
    }
  }

  close(): void {
    for (const connection of [...this.#idle]) connection.destroy();
  }

  /** An idle connection that is not closed, as far as the kernel knows: pending input is read first. */
  async #takeIdle(): Promise<KeptConnection | undefined> {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined) return undefined;
      await nextIteration();
      if (connection.isUsable) return connection;
    }
  }

  readonly #forget = (connection: KeptConnection): void => {
    const place = this.#idle.indexOf(connection);
    if (place !== -1) this.#idle.splice(place, 1);
  };
}

class KeptConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve(reply: Reply): void; reject(error: Error): void; isHead: boolean } | null = null;
  #isConnected = false;
  #reason = 'closed';
  isUsable = true;

  constructor(port: number, onGone: (connection: KeptConnection) => void) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    socket.setTimeout(maxConnectMs, () => socket.destroy(new Error('no connection in time')));
    socket.on('connect', () => {
      this.#isConnected = true;
      socket.setTimeout(maxAnswerMs, () => socket.destroy(new Error('no answer in time')));
    });
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    const gone = (): void => {
      this.isUsable = false;
      onGone(this);
    };
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#reason = error.code ?? error.message;
    });
    socket.on('end', gone);
    socket.on('close', () => {
      gone();
      this.#fail();
    });
  }

  send(bytes: Buffer, isHead: boolean): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject, isHead };
      if (this.#socket.destroyed) this.#fail();
      // Not before the connection is established: a request that was never sent may go to another instance.
      else if (this.#isConnected) this.#socket.write(bytes);
      else this.#socket.once('connect', () => this.#socket.write(bytes));
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    const waiting = this.#waiting;
    if (waiting === null) {
      // A response without a request: the connection is dropped.
      this.#socket.destroy();
      return;
    }
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const parsed = parseReply(this.#received, waiting.isHead);
    if (parsed === null) return;
    this.#received = Buffer.alloc(0);
    this.#waiting = null;
    waiting.resolve(parsed.reply);
  }

  #fail(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) return;
    if (this.#received.length > 0) waiting.reject(new BadGateway('an answer was cut off in the middle'));
    else waiting.reject(new UpstreamError(`no answer: ${this.#reason}`, this.#isConnected));
  }
}
