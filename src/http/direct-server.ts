import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerOptions } from 'node:http';
import { createServer, type ListenOptions, Server as NetServer, type Socket } from 'node:net';
import type { Doors } from '../lifecycle.ts';
import { writeAnswer } from './direct-answer.ts';
import { Server } from './node-http.ts';
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
export class DirectServer extends Server implements Omit<Doors, 'closeAll'> {
  readonly #connections = new Set<DirectConnection>();
  readonly #given = new Map<Socket, GivenConnection>();
  /** Which share its port, and hand it what they take. */
  readonly #others: NetServer[] = [];
  #isClosing = false;

  constructor(options: DirectOptions, serveDirectly: ServePlain, serveOtherwise: RequestListener) {
    super(options, (request, response) => {
      const given = this.#given.get(request.socket);
      given?.begin(request);
      const closeIfWanted = (): void => {
        if (this.#isClosing) given?.closeIfIdleSince(performance.now());
      };
      response.once('close', () => {
        given?.end();
        closeIfWanted();
        // The rest of a body that nobody wanted is no new request.
        if (!request.complete) {
          request.once('end', () => {
            given?.noteRest();
            closeIfWanted();
          });
        }
      });
      serveOtherwise(request, response);
    });
    // A client that has said its last word still gets its answers. Not in Node's types, but what its own server goes by.
    Object.assign(this, { httpAllowHalfOpen: true });
    const nodeListeners = this.listeners('connection') as ((this: DirectServer, socket: Socket) => void)[];
    this.removeAllListeners('connection');
    const keepAliveSeconds = Math.floor(options.keepAliveTimeout / 1000);
    const parts: ConnectionParts = {
      serve: serveDirectly,
      keepAliveLines: `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`,
      giveToNode: (socket, hasBegun) => {
        this.#given.set(socket, new GivenConnection(socket, hasBegun));
        socket.once('close', () => this.#given.delete(socket));
        for (const listener of nodeListeners) listener.call(this, socket);
      },
      onGone: (connection) => this.#connections.delete(connection),
      onIdle: (connection) => {
        if (this.#isClosing) connection.destroy();
      },
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

  count(): number {
    return this.#connections.size + this.#given.size;
  }

  /** Whether no other request has followed this one, which Node has read, on its connection. */
  isNewest(request: IncomingMessage): boolean {
    return this.#given.get(request.socket)?.newest === request;
  }

  /** Takes connections at one more socket. */
  async listenAlso(options: ListenOptions): Promise<void> {
    const other = createServer(
      { allowHalfOpen: true, noDelay: true },
      (socket) => void this.emit('connection', socket),
    );
    this.#others.push(other);
    other.listen(options);
    await once(other, 'listening');
  }

  /** Without what Node's own server adds to it: closing the connections that are idle. */
  stopListening(): void {
    for (const listening of [this, ...this.#others]) NetServer.prototype.close.call(listening);
  }

  override close(callback?: (error?: Error) => void): this {
    for (const other of this.#others) other.close();
    return super.close(callback);
  }

  closeIdleFor(ms: number): void {
    const latest = performance.now() - ms;
    for (const connection of this.#connections) connection.closeIfIdleSince(latest);
    for (const connection of this.#given.values()) connection.closeIfIdleSince(latest);
  }

  /**
   * Called where the server closes at once: what is busy follows when it is idle. Node's own would also cut off an answer
   * that is whole, but not yet taken by the other side.
   */
  override closeIdleConnections(): void {
    this.#isClosing = true;
    this.closeIdleFor(0);
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
  /** `hasBegun`: something of a request was received on it already. */
  readonly giveToNode: (socket: Socket, hasBegun: boolean) => void;
  readonly onGone: (connection: DirectConnection) => void;
  readonly onIdle: (connection: DirectConnection) => void;
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
    this.#parts.giveToNode(socket, chunks.length > 0);
    socket.resume();
  }

  answer(status: number, headers: readonly string[], body: AnswerBody | null, isLastWanted: boolean): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    // Not while another request has come already: its answer is owed, too.
    const isLast = (isLastWanted && this.#early.length === 0) || this.#isEnded;
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
    else {
      if (socket.isPaused()) socket.resume();
      this.#parts.onIdle(this);
    }
    if (this.#isEnded) socket.end();
  };

  checkTime(now: number, { keepAliveTimeout, connectionsCheckingInterval }: DirectOptions): void {
    if (this.#isBusy) return;
    const idleMs = now - this.#idleSince;
    // Nothing has come yet: Node knows how long to wait for a first request.
    if (this.#headers === null && idleMs >= connectionsCheckingInterval) this.#giveToNode([]);
    else if (idleMs > keepAliveTimeout) this.destroy();
  }

  closeIfIdleSince(latest: number): void {
    if (!this.#isBusy && this.#idleSince <= latest) this.destroy();
  }

  get isGone(): boolean {
    return this.#socket.destroyed;
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** A connection that Node serves: it is known when something is in work on it, or on its way. */
class GivenConnection {
  readonly #socket: Socket;
  newest: IncomingMessage | null = null;
  #inWork = 0;
  #idleSince = performance.now();
  /** How much had been received when the last request was answered; more means that another one has begun. */
  #readUntilIdle: number;

  constructor(socket: Socket, hasBegun: boolean) {
    this.#socket = socket;
    this.#readUntilIdle = hasBegun ? -1 : socket.bytesRead;
  }

  begin(request: IncomingMessage): void {
    this.newest = request;
    this.#inWork += 1;
  }

  end(): void {
    this.#inWork -= 1;
    this.#noteIdle();
  }

  /** The rest of a request has come that was answered before. */
  noteRest(): void {
    if (this.#inWork === 0) this.#noteIdle();
  }

  #noteIdle(): void {
    this.#idleSince = performance.now();
    this.#readUntilIdle = this.#socket.bytesRead;
  }

  closeIfIdleSince(latest: number): void {
    const socket = this.#socket;
    if (this.#inWork > 0 || this.#idleSince > latest || socket.bytesRead !== this.#readUntilIdle) return;
    if (socket.writableLength === 0) socket.destroy();
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
