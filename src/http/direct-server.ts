import { type IncomingHttpHeaders, type RequestListener, Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { writeAnswer } from './direct-answer.ts';
import { type PlainHeaders, type PlainRequest, readPlainRequest } from './plain-request.ts';
import type { AnswerBody, Transport } from './transport.ts';

const nothing = Buffer.alloc(0);
const closeLines = 'Connection: close\r\n\r\n';

/** Begins to serve a request where it is one to an operation; false where it is not. */
export type ServePlain = (request: PlainRequest, answerTo: (request: PlainRequest) => Transport) => boolean;

export interface DirectOptions extends ServerOptions {
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** Newcomers past this number are closed at once: each takes memory, whether it asks for something or not. */
  readonly mostConnections: number;
}

/**
 * Node's HTTP server, with a shorter way for plain requests to operations: they are read from the socket and answered
 * on it, without the streams that Node makes for each request and each answer, which cost more than a read of an agent.
 * Whatever is not plain, in any respect, is handed to Node with all that has been received, and stays there until the
 * connection ends.
 */
export class DirectServer extends Server {
  readonly #connections = new Set<DirectConnection>();

  constructor(options: DirectOptions, serveDirectly: ServePlain, serveOtherwise: RequestListener) {
    super(options, serveOtherwise);
    // A client that has said its last word still gets its answers. Not in Node's types, but what its own server goes by.
    Object.assign(this, { httpAllowHalfOpen: true });
    const nodeListeners = this.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    this.removeAllListeners('connection');
    const keepAliveSeconds = Math.floor(options.keepAliveTimeout / 1000);
    const parts: ConnectionParts = {
      serve: serveDirectly,
      keepAliveLines: `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`,
      giveToNode: (socket) => {
        for (const listener of nodeListeners) listener.call(this, socket);
      },
      onGone: (connection) => this.#connections.delete(connection),
    };
    let open = 0;
    this.on('connection', (socket: Socket) => {
      if (open >= options.mostConnections) {
        socket.destroy();
        return;
      }
      open += 1;
      socket.once('close', () => {
        open -= 1;
      });
      this.#connections.add(new DirectConnection(socket, parts));
    });

    const watch = setInterval(() => {
      const now = performance.now();
      for (const connection of this.#connections) connection.checkTime(now, options);
    }, options.connectionsCheckingInterval);
    watch.unref();
    this.once('close', () => clearInterval(watch));
  }

  override closeIdleConnections(): void {
    super.closeIdleConnections();
    for (const connection of this.#connections) connection.closeIfIdle();
  }

  override closeAllConnections(): void {
    super.closeAllConnections();
    for (const connection of this.#connections) connection.destroy();
  }
}

interface ConnectionParts {
  readonly serve: ServePlain;
  /** The last lines of the head of an answer after which the connection goes on. */
  readonly keepAliveLines: string;
  readonly giveToNode: (socket: Socket) => void;
  readonly onGone: (connection: DirectConnection) => void;
}

class DirectConnection {
  readonly #socket: Socket;
  readonly #parts: ConnectionParts;
  #headers: PlainHeaders | null = null;
  #isBusy = false;
  #isEnded = false;
  /** What came while a request was in work. */
  #early: Buffer[] = [];
  #idleSince = performance.now();

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isBusy) {
      // A client that does not wait for answers: Node keeps them in order, once this one has been given.
      this.#socket.pause();
      this.#early.push(chunk);
      return;
    }
    const request = readPlainRequest(chunk, this.#headers);
    if (request === null) {
      this.#giveToNode([chunk]);
      return;
    }
    this.#headers = request.headers;
    this.#isBusy = true;
    if (!this.#parts.serve(request, this.#transportOf)) this.#giveToNode([chunk]);
  };

  readonly #transportOf = (request: PlainRequest): Transport => new DirectTransport(request, this);

  readonly #onEnd = (): void => {
    this.#isEnded = true;
    if (!this.#isBusy) this.#socket.end();
  };

  /** The other side has gone, and 'close' follows. */
  readonly #onError = (): void => {};

  readonly #onClose = (): void => this.#parts.onGone(this);

  #giveToNode(chunks: readonly Buffer[]): void {
    const socket = this.#socket;
    this.#parts.onGone(this);
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
    socket.pause();
    for (const chunk of chunks.toReversed()) socket.unshift(chunk);
    this.#parts.giveToNode(socket);
    socket.resume();
  }

  answer(status: number, headers: readonly string[], body: AnswerBody | null, isLastWanted: boolean): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const isLast = isLastWanted || this.#isEnded;
    writeAnswer(socket, { status, headers, lastLines: isLast ? closeLines : this.#parts.keepAliveLines, body });
    if (isLast) {
      socket.destroySoon();
      return;
    }
    // What has not been taken yet is waited for, so that a slow reader cannot make answers pile up.
    if (socket.writableLength > 0) {
      socket.pause();
      socket.write(nothing, this.#onTaken);
    } else this.#onAnswered();
  }

  /** Called also where the rest could not be sent: then the connection is closing. */
  readonly #onTaken = (error?: Error | null): void => {
    if (!error) this.#onAnswered();
  };

  readonly #onAnswered = (): void => {
    const socket = this.#socket;
    this.#isBusy = false;
    this.#idleSince = performance.now();
    if (this.#early.length > 0) this.#giveToNode(this.#early);
    else if (socket.isPaused()) socket.resume();
    if (this.#isEnded) socket.end();
  };

  checkTime(now: number, { keepAliveTimeout, connectionsCheckingInterval }: DirectOptions): void {
    if (this.#isBusy) return;
    const idleMs = now - this.#idleSince;
    // Nothing has come yet: Node knows how long to wait for a first request.
    if (this.#headers === null && idleMs >= connectionsCheckingInterval) this.#giveToNode([]);
    else if (idleMs > keepAliveTimeout) this.destroy();
  }

  closeIfIdle(): void {
    if (!this.#isBusy) this.destroy();
  }

  get isGone(): boolean {
    return this.#socket.destroyed;
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

class DirectTransport implements Transport {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  isAnswered = false;
  readonly #body: Buffer;
  readonly #connection: DirectConnection;

  constructor({ method, url, headers, body }: PlainRequest, connection: DirectConnection) {
    this.method = method;
    this.url = url;
    this.headers = headers.values;
    this.#body = body;
    this.#connection = connection;
  }

  get isGone(): boolean {
    return this.#connection.isGone;
  }

  readBody(): Buffer {
    return this.#body;
  }

  answer(status: number, headers: string[], body: AnswerBody | null, isLast: boolean): void {
    this.isAnswered = true;
    this.#connection.answer(status, headers, body, isLast);
  }
}
