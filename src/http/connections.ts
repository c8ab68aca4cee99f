import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait on one connection: no client sends so many ahead, and Node reads 3,600 small ones from one chunk. */
const maxQueuedOnConnection = 1000;
/** Requests that wait in the process. Each takes about 5 KB of memory. */
const maxQueued = 10_000;

interface Pending {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  readonly socket: Socket;
  /** The request in progress, or one that has its response already while the rest of its body is still arriving. */
  current: Pending | null;
  isBusy: boolean;
  /** Requests that the client sent without waiting for responses, oldest first. */
  readonly queue: Pending[];
  /** More was sent ahead than is allowed: nothing more is read. */
  isFull: boolean;
  /** Ends the connection, after the responses to everything that came before. */
  finish: (() => void) | null;
  idleSince: number;
  /** For the response of the current request: one function for all of them. */
  readonly onResponseClosed: () => void;
  /** How much had been received when the last response was sent; more means that another request is on its way. */
  bytesReadWhenIdle: number;
}

export interface ConnectionOptions {
  readonly maxConnections: number;
  readonly keepAliveMs: number;
  readonly handle: RequestListener;
  /** Responds to a connection that sends more requests ahead than are allowed, and ends it. */
  readonly onQueueFull: (socket: Socket) => void;
}

/**
 * The connections of the server, over all of its listening sockets. Node starts every request as soon as it is parsed and
 * stops reading only for unsent bytes, so one client could start thousands at once. Here one request per connection is in
 * progress; the others wait, and the socket is not read meanwhile.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #open = new Map<Socket, Connection>();
  #queued = 0;
  #isClosing = false;
  #onEmpty: (() => void) | null = null;

  constructor(server: Server, options: ConnectionOptions) {
    this.#options = options;
    server.on('connection', (socket: Socket) => this.#accept(socket));
    server.on('request', (request, response) => this.#receive({ request, response }));
    // 417 is not a status of the contract: an unknown expectation is ignored.
    server.on('checkExpectation', (request, response) => this.#receive({ request, response }));
    // Called when no bytes were sent or received for a while. A slow handler is no reason to disconnect, and requests
    // that do not arrive have timeouts of their own.
    server.on('timeout', (socket: Socket) => {
      if (socket.writableLength > 0 || this.#hasExpired(socket)) socket.destroy();
    });
  }

  get count(): number {
    return this.#open.size;
  }

  /** The connection becomes a WebSocket. False if a request is in progress on it, whose response comes first. */
  startUpgrade(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.isBusy || connection.finish !== null) return false;
    connection.isBusy = true;
    return true;
  }

  /** Whether another request waits on the same connection, so that the connection must stay open. */
  hasQueued(socket: Socket): boolean {
    return (this.#open.get(socket)?.queue.length ?? 0) > 0;
  }

  /**
   * Ends a connection on which nothing more can be parsed: `respond` sends the last response, after all pending ones. It
   * is dropped if the request with the malformed body has its response already.
   */
  finish(socket: Socket, respond: () => void): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.finish !== null) return;
    connection.finish = respond;
    const { queue, current, isBusy } = connection;
    const newest = queue.at(-1) ?? current;
    if (newest === null || newest.request.complete) {
      if (!isBusy) respond();
      return;
    }
    // The body of the newest request is malformed, so this is the response to that request.
    if (newest !== current) {
      queue.pop();
      this.#queued -= 1;
    } else if (!isBusy || newest.response.headersSent) socket.destroySoon();
    else respond();
  }

  /** Closes the connections without a request in progress, or on its way, for this long. */
  closeIdleFor(ms: number): void {
    const latest = performance.now() - ms;
    for (const connection of this.#open.values()) {
      if (connection.idleSince <= latest) closeIfIdle(connection);
    }
  }

  /** Closes each connection as soon as it is idle. Resolves when none is left. */
  async closeWhenIdle(): Promise<void> {
    this.#isClosing = true;
    this.closeIdleFor(0);
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #hasExpired(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    return !connection.isBusy && performance.now() - connection.idleSince >= this.#options.keepAliveMs;
  }

  #accept(socket: Socket): void {
    if (this.#open.size >= this.#options.maxConnections) {
      socket.destroy();
      return;
    }
    const connection: Connection = {
      socket,
      current: null,
      isBusy: false,
      queue: [],
      isFull: false,
      finish: null,
      idleSince: performance.now(),
      onResponseClosed: () => this.#onResponseClosed(connection),
      bytesReadWhenIdle: 0,
    };
    this.#open.set(socket, connection);
    // Node resumes the socket after each response, and on every request that it parses from the same chunk.
    socket.on('resume', () => {
      if (connection.queue.length > 0 || connection.isFull) socket.pause();
    });
    socket.on('close', () => {
      this.#open.delete(socket);
      this.#queued -= connection.queue.length;
      connection.queue.length = 0;
      if (this.#open.size === 0) this.#onEmpty?.();
    });
  }

  #receive(pending: Pending): void {
    const connection = this.#open.get(pending.request.socket);
    if (connection === undefined || connection.finish !== null) return;
    if (!connection.isBusy) {
      this.#start(connection, pending);
      return;
    }
    const { socket, queue } = connection;
    socket.pause();
    if (queue.length >= maxQueuedOnConnection || this.#queued >= maxQueued) {
      connection.isFull = true;
      stopParsing(socket);
      this.finish(socket, () => {
        this.#options.onQueueFull(socket);
        // Without waiting for the client to close its side: what it has sent ahead would have to be read first.
        socket.destroySoon();
      });
      return;
    }
    queue.push(pending);
    this.#queued += 1;
  }

  #start(connection: Connection, pending: Pending): void {
    const { request, response } = pending;
    connection.current = pending;
    connection.isBusy = true;
    response.on('close', connection.onResponseClosed);
    const { headers, complete } = request;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    if (complete || !hasBody) this.#options.handle(request as never, response as never);
    // Once the chunk is parsed to its end: a malformed body in it must be refused as such, whatever the handler would say.
    else process.nextTick(this.#options.handle, request, response);
  }

  #onResponseClosed(connection: Connection): void {
    const { socket, queue, current } = connection;
    if (socket.destroyed || current === null) return;
    const { request } = current;
    const next = queue.shift();
    if (next !== undefined) {
      this.#queued -= 1;
      connection.current = next;
      // In the next iteration of the event loop, so that other connections are served in between.
      setImmediate(() => {
        // Ended by the response before, or by a malformed body.
        if (!socket.writable) return;
        this.#start(connection, next);
        // The rest of its body may not have been read.
        if (queue.length === 0) socket.resume();
      });
      return;
    }
    connection.isBusy = false;
    if (request.complete) {
      this.#noteIdle(connection);
      connection.finish?.();
      return;
    }
    // The rest of a body that was not wanted is no new request.
    request.once('end', () => {
      if (connection.current?.request === request) this.#noteIdle(connection);
    });
  }

  #noteIdle(connection: Connection): void {
    // Thousands of idle connections would otherwise keep their last request in memory.
    connection.current = null;
    connection.idleSince = performance.now();
    connection.bytesReadWhenIdle = connection.socket.bytesRead;
    if (this.#isClosing) closeIfIdle(connection);
  }
}

/**
 * Node parses a chunk to its end, whatever happens to the socket: thousands of requests, and gigabytes from a thousand
 * connections. There is no public way to stop it. 2 tells the parser that another protocol follows, so that it returns.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } | null };
  if (parser) parser.onIncoming = () => 2;
}

function closeIfIdle({ socket, isBusy, bytesReadWhenIdle }: Connection): void {
  if (!isBusy && socket.bytesRead === bytesReadWhenIdle && socket.writableLength === 0) socket.destroy();
}
