import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Pipelined requests that may wait on one connection. No client sends this many, but Node parses up to 3,600 small ones
 * from one chunk.
 */
const maxQueuedOnConnection = 1000;
/** Pipelined requests that may wait in the whole process. Each takes about 5 KB of memory. */
const maxQueued = 10_000;

interface Pending {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type Connection = ReturnType<typeof newConnection>;

function newConnection(socket: Socket) {
  return {
    socket,
    /** The request in progress, or one that was already responded to while the rest of its body is still arriving. */
    current: null as Pending | null,
    isBusy: false,
    /** Whether the connection is a WebSocket. */
    isUpgraded: false,
    /** Requests that the client sent without waiting for responses, oldest first. */
    queue: [] as Pending[],
    /** Too many requests were pipelined: nothing more is read. */
    isFull: false,
    /** Ends the connection after all earlier responses. */
    finish: null as (() => void) | null,
    idleSince: performance.now(),
    /** Bytes received when the last response was sent. More than that means another request is arriving. */
    bytesReadWhenIdle: 0,
  };
}

export interface ConnectionOptions {
  readonly maxConnections: number;
  readonly keepAliveMs: number;
  readonly handle: RequestListener;
  /** Responds to a connection that pipelines too many requests, and ends it. */
  readonly onQueueFull: (socket: Socket) => void;
}

/**
 * The connections of the server, over all listening sockets. Node starts every request as soon as it is parsed and
 * stops reading only when too many bytes are unsent, so one client could start thousands of requests at once. This
 * class runs one request per connection; the others wait, and the socket is paused meanwhile.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #open = new Map<Socket, Connection>();
  acceptedCount = 0;
  #queued = 0;
  #isClosing = false;
  #onEmpty: (() => void) | null = null;
  // One of each for all connections: closures of their own would take megabytes for ten thousand of them.
  readonly #onResume: (this: Socket) => void;
  readonly #onSocketClosed: (this: Socket) => void;
  readonly #onResponseClosed: (this: ServerResponse) => void;

  constructor(server: Server, options: ConnectionOptions) {
    this.#options = options;
    const connections = this;
    this.#onResume = function () {
      const connection = connections.#open.get(this);
      if (connection !== undefined && (connection.queue.length > 0 || connection.isFull)) this.pause();
    };
    this.#onSocketClosed = function () {
      connections.#forget(this);
    };
    this.#onResponseClosed = function () {
      const connection = connections.#open.get(this.req.socket);
      if (connection !== undefined) connections.#startNext(connection);
    };
    server.on('connection', (socket: Socket) => this.#accept(socket));
    server.on('request', (request, response) => this.#receive({ request, response }));
    // The contract has no 417: unknown expectations are ignored.
    server.on('checkExpectation', (request, response) => this.#receive({ request, response }));
    // Emitted when no bytes were sent or received for a while. A slow handler is no reason to disconnect, and
    // incomplete requests have their own timeouts.
    server.on('timeout', (socket: Socket) => {
      if (socket.writableLength > 0 || this.#hasExpired(socket)) socket.destroy();
    });
  }

  get count(): number {
    return this.#open.size;
  }

  /** Whether no request is in progress or arriving. */
  isIdle(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    return connection === undefined || isIdle(connection);
  }

  /** Hands the connection over to a WebSocket. False if a request is in progress, whose response must be sent first. */
  startUpgrade(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.isBusy || connection.finish !== null) return false;
    connection.isBusy = true;
    connection.isUpgraded = true;
    return true;
  }

  /** Whether another request waits on this connection, so that it must stay open. */
  hasQueued(socket: Socket): boolean {
    return (this.#open.get(socket)?.queue.length ?? 0) > 0;
  }

  /**
   * Ends a connection after a parse error: `respond` sends the last response, after all pending ones. It is skipped if
   * the request with the malformed body already has its response.
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

  /** Closes connections that have had no request, in progress or arriving, for this long. */
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

  /** `exceptSockets`: not the WebSockets. */
  closeAll(exceptSockets = false): void {
    for (const { socket, isUpgraded } of this.#open.values()) if (!(exceptSockets && isUpgraded)) socket.destroy();
  }

  #hasExpired(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    return !connection.isBusy && performance.now() - connection.idleSince >= this.#options.keepAliveMs;
  }

  #accept(socket: Socket): void {
    this.acceptedCount += 1;
    if (this.#open.size >= this.#options.maxConnections) {
      socket.destroy();
      return;
    }
    this.#open.set(socket, newConnection(socket));
    // Node resumes the socket after each response, and on every request that it parses from the same chunk.
    socket.on('resume', this.#onResume);
    socket.on('close', this.#onSocketClosed);
  }

  #forget(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    this.#queued -= connection.queue.length;
    connection.queue.length = 0;
    if (this.#open.size === 0) this.#onEmpty?.();
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
        // Does not wait for the client to close its side, since its pipelined requests would have to be read first.
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
    response.on('close', this.#onResponseClosed);
    const { headers, complete } = request;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    if (complete || !hasBody) this.#options.handle(request as never, response as never);
    // Runs after the whole chunk is parsed: a malformed body in the chunk must be reported as such, whatever the
    // handler would respond.
    else process.nextTick(this.#options.handle, request, response);
  }

  #startNext(connection: Connection): void {
    const { socket, queue, current } = connection;
    if (socket.destroyed || current === null) return;
    const { request } = current;
    const next = queue.shift();
    if (next !== undefined) {
      this.#queued -= 1;
      connection.current = next;
      // In the next iteration of the event loop, so that other connections are served in between.
      setImmediate(() => {
        // Closed after the previous response or by a malformed body.
        if (!socket.writable) return;
        this.#start(connection, next);
        // The rest of its body may still be unread.
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
    // The rest of a discarded body is not a new request.
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
 * Node parses a chunk to its end even if the socket is paused or destroyed: thousands of requests, and gigabytes over a
 * thousand connections. There is no public API to stop it. Returning 2 tells the parser that another protocol follows,
 * which makes it return.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } | null };
  if (parser) parser.onIncoming = () => 2;
}

function isIdle({ socket, isBusy, bytesReadWhenIdle }: Connection): boolean {
  return !isBusy && socket.bytesRead === bytesReadWhenIdle;
}

function closeIfIdle(connection: Connection): void {
  const { socket } = connection;
  if (isIdle(connection) && socket.writableLength === 0) socket.destroy();
}
