import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createNetServer,
  type ListenOptions,
  Server as NetServer,
  type Socket,
} from 'node:net';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { Timeouts } from '../config.ts';
import { type AppError, malformed, methodNotAllowed, pathNotFound, serviceUnavailable } from '../core/errors.ts';
import type { MaybePromise } from '../core/maybe-promise.ts';
import { Server } from '../net/node-http.ts';
import { Connections } from './connections.ts';
import { isDisconnected, isTimeout, parseErrorOf, statusOf, toAppError, writeRawError } from './errors.ts';
import { prefers } from './operations/accept.ts';
import { Exchange, type ExchangeParts } from './operations/exchange.ts';
import type { RequestLog } from './request-log.ts';
import type { Drainable } from './shutdown.ts';
import type { Sockets } from './sockets.ts';

/** A path of the server with all of its methods: an operation or a page. */
export interface Route {
  /** Used in the log and in metrics. */
  readonly id: string;
  readonly methods: readonly HTTPMethod[];
  /** In find-my-way syntax: `/agents/:id`. */
  readonly path: string;
  readonly serve: (exchange: Exchange, params: Readonly<Record<string, string>>) => MaybePromise<void>;
}

const maxHeaderBytes = 16 * 1024;

export interface ServerParts {
  readonly routes: readonly Route[];
  readonly sockets: Sockets;
  /** Authenticates requests that match no route, so that a caller without a key cannot discover paths under /api/. */
  readonly admitUnmatched: (exchange: Exchange) => Promise<void>;
  /** For people who open a path that does not exist in a browser. */
  readonly notFoundPage: Route;
  readonly exchangeParts: Omit<ExchangeParts, 'hasQueued'>;
  readonly newId: (prefix: string) => string;
  readonly requestLog: RequestLog;
  readonly timeouts: Timeouts;
  readonly maxConnections: number;
}

/** The HTTP server: Node's own with limits per connection, and the routes. */
export class HttpServer implements Drainable {
  /** Handles one request without the connection limits, for tests that need no socket. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #server: InstanceType<typeof Server>;
  readonly #connections: Connections;
  readonly #sockets: Sockets;
  /** Additional listening sockets on the same port. */
  readonly #otherListeners: NetServer[] = [];

  constructor(parts: ServerParts) {
    const { timeouts, sockets } = parts;
    this.#sockets = sockets;
    this.#server = new Server({
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: Math.min(1000, timeouts.headersMs),
      maxHeaderSize: maxHeaderBytes,
      // HTTP/1.0 clients and simple probes send no Host header, and nothing depends on it.
      requireHostHeader: false,
      // Skips the body stream for requests without a body, which would take a tenth of the time of a small read.
      optimizeEmptyRequests: true,
      shouldUpgradeCallback: (request) => sockets.matches(request) && this.#connections.startUpgrade(request.socket),
    });
    // Node checks for progress once per timeout, and the bytes that the kernel buffers at first count as progress. A
    // client that reads nothing is therefore disconnected after two timeouts.
    this.#server.timeout = timeouts.writeMs / 2;
    // A client that half-closes the connection still gets its responses. Missing from Node's types.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    const refuse = (socket: Socket, error: AppError, isHead = false): void => {
      if (!socket.writable) return;
      const requestId = parts.newId('req');
      const address = parts.exchangeParts.clientAddresses.ofSocket(socket);
      writeRawError(socket, { error, requestId, isHead });
      parts.requestLog.refusal(requestId, statusOf(error), error.message, address);
    };
    this.#connections = new Connections(this.#server, {
      maxConnections: parts.maxConnections,
      keepAliveMs: timeouts.keepAliveMs,
      handle: (request, response) => this.handle(request, response),
      onQueueFull: (socket) => refuse(socket, serviceUnavailable('Too many requests are queued on this connection.')),
    });
    this.handle = createRequestHandler(parts, (socket) => this.#connections.hasQueued(socket));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // A response that nobody asked for would be taken for the response to the next request.
      const isIdle = isTimeout(error) && this.#connections.isIdle(socket as Socket);
      if (isIdle || isDisconnected(error, socket as Socket)) socket.destroy();
      else {
        const { refusal, isHead } = parseErrorOf(error);
        this.#connections.finish(socket as Socket, () => refuse(socket as Socket, refusal, isHead));
      }
    });
    this.#server.on('upgrade', (request, socket, head) => void sockets.upgrade(request, socket as Socket, head));
    // CONNECT is not supported. Without a listener Node would close the connection without a response.
    this.#server.on('connect', (_request, socket) => {
      this.#connections.finish(socket as Socket, () => refuse(socket as Socket, methodNotAllowed(['GET', 'POST'])));
    });
    // Node's implementation would also close a connection whose last response is not fully sent.
    this.#server.closeIdleConnections = () => this.#connections.closeIdleFor(0);
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  async listen(options: ListenOptions): Promise<void> {
    this.#server.listen(options);
    await once(this.#server, 'listening');
  }

  /** Adds a listening socket. */
  async listenAlso(options: ListenOptions): Promise<void> {
    const accept = (socket: Socket): void => void this.#server.emit('connection', socket);
    const listener = createNetServer({ allowHalfOpen: true, noDelay: true }, accept);
    this.#otherListeners.push(listener);
    listener.listen(options);
    await once(listener, 'listening');
  }

  /** Stops accepting connections. Open ones stay. */
  stopListening(): void {
    // `http.Server.close` would also close idle connections.
    for (const listener of [this.#server, ...this.#otherListeners]) NetServer.prototype.close.call(listener);
  }

  get connectionCount(): number {
    return this.#connections.count;
  }

  get acceptedCount(): number {
    return this.#connections.acceptedCount;
  }

  closeIdleFor(ms: number): void {
    this.#connections.closeIdleFor(ms);
  }

  closeSockets(onlyNow: boolean): void {
    void this.#sockets.close(onlyNow);
  }

  closeRequests(): void {
    this.#connections.closeAll(true);
  }

  closeAll(): void {
    this.#connections.closeAll();
  }

  /** Resolves once all requests in progress have a response and all connections are closed. */
  async close(): Promise<void> {
    for (const listener of this.#otherListeners) listener.close();
    this.#server.close();
    await this.#sockets.close();
    await this.#connections.closeWhenIdle();
  }
}

/** Keeps a valid request id sent by the client. */
export function createRequestIds(newId: (prefix: string) => string): (headers: IncomingHttpHeaders) => string {
  return (headers) => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : newId('req');
  };
}

function createRequestHandler(
  { routes, admitUnmatched, notFoundPage, exchangeParts }: ServerParts,
  hasQueued: (socket: Socket) => boolean,
): (request: IncomingMessage, response: ServerResponse) => void {
  const parts: ExchangeParts = { ...exchangeParts, hasQueued };
  const router = findMyWay({
    // The length of ids is validated with the ids.
    maxParamLength: maxHeaderBytes,
    // The query is parsed strictly in src/http/operations/query.ts.
    querystringParser: () => ({}),
  });
  const methods = new Set<HTTPMethod>();
  for (const route of routes) {
    for (const method of route.methods) methods.add(method);
    router.on([...route.methods], route.path, () => {}, route);
  }
  const unmatched = (method: string, url: string): AppError => {
    if (!isDecodable(url)) return malformed('the path is not valid percent-encoded UTF-8');
    // The HTTP/2 connection preface, which Node parses as a method.
    if (method === 'PRI') return malformed('the method is unknown');
    const allowed = [...methods].filter((known) => router.find(known, url) !== null).sort();
    return allowed.length > 0 ? methodNotAllowed(allowed) : pathNotFound();
  };
  const refuseUnmatched = async (exchange: Exchange): Promise<void> => {
    if (exchange.url.startsWith('/api/')) await admitUnmatched(exchange);
    const error = unmatched(exchange.method, exchange.url);
    if (error.code === 'NOT_FOUND' && isPageRequest(exchange)) await notFoundPage.serve(exchange, {});
    else exchange.refuse(error);
  };

  return (request, response) => {
    request.url = originForm(request.url ?? '');
    const match = router.find(request.method as HTTPMethod, request.url);
    const route = match?.store as Route | undefined;
    const exchange = new Exchange(request, response, route?.id ?? 'none', parts);
    const refuse = (error: unknown): void => exchange.refuse(toAppError(error));
    try {
      const serving =
        route === undefined
          ? refuseUnmatched(exchange)
          : route.serve(exchange, match?.params as Readonly<Record<string, string>>);
      if (serving instanceof Promise) serving.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  };
}

/** Whether somebody opens the path in a browser. Paths for programs always get the error body. */
function isPageRequest({ method, url, headers }: Exchange): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && !/^\/(?:api|media|live)(?:[/?]|$)/.test(url) && prefers(headers.accept, 'text/html');
}

/** The path of an absolute-form request target, as sent to proxies. `*` is not a path and must not match one. */
function originForm(target: string): string {
  // Fragments are never sent to a server. The router would strip it and serve a different path than the one requested.
  if (target.includes('#')) return originForm(target.replaceAll('#', '%23'));
  if (target.startsWith('/')) return target;
  const rest = target.replace(/^https?:\/\/[^/?]*/i, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function isDecodable(url: string): boolean {
  try {
    decodeURI(url.split('?', 1)[0] as string);
    return true;
  } catch {
    return false;
  }
}
