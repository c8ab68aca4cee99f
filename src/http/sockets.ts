import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import findMyWay from 'find-my-way';
import { type WebSocket, WebSocketServer } from 'ws';
import { malformed, notAccepting } from '../core/errors.ts';
import { limitPeer, type RejectPeer, socketLimits } from '../net/socket-closing.ts';
import type { Caller } from './admission/caller.ts';
import { type OverloadGuard, overloaded } from './admission/overload.ts';
import type { RateLimiter } from './admission/rate-limit.ts';
import type { ClientAddresses } from './client-address.ts';
import { statusOf, toAppError, writeRawError } from './errors.ts';
import type { RequestLog } from './request-log.ts';
import { type Lifecycle, socketCloseMs } from './shutdown.ts';

/** A WebSocket endpoint. */
export interface SocketRoute {
  /** Used in the log and in metrics. */
  readonly id: string;
  /** In find-my-way syntax: `/live/v1/calls/:id`. */
  readonly path: string;
  readonly maxFrameBytes: number;
  /**
   * Decides whether the client may connect. Errors it throws are sent as an ordinary HTTP response with the error body.
   * The socket may still not open afterwards: the client may be gone, or its key over the rate limit.
   */
  readonly accept: (request: SocketRequest) => Promise<AcceptedSocket>;
}

export interface SocketRequest {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: Readonly<Record<string, string>>;
  /** The subprotocols offered by the client. */
  readonly protocols: readonly string[];
}

/**
 * How a WebSocket ends when the service shuts down. `close`: at once, and its client reconnects to another instance.
 * `stay`: when it ends by itself, and after `DRAIN_SECONDS` like the others. Requests finish; those that wait for something
 * new are answered at once (`Exchange.startWaiting`).
 */
export type SocketDrain = 'close' | 'stay';

export interface AcceptedSocket {
  readonly caller: Caller | null;
  readonly drain: SocketDrain;
  /** One of the offered subprotocols, or null. */
  readonly protocol: string | null;
  /** Called once the socket is open. `reject` closes it after a violation of the client. */
  readonly open: (socket: WebSocket, reject: RejectPeer) => void;
}

export interface SocketParts {
  readonly routes: readonly SocketRoute[];
  readonly overload: OverloadGuard;
  readonly rateLimiter: RateLimiter;
  readonly lifecycle: Lifecycle;
  readonly requestIdOf: (headers: IncomingHttpHeaders) => string;
  readonly clientAddresses: ClientAddresses;
  readonly requestLog: RequestLog;
}

/** A peer that has not responded to a ping by the next one is considered gone. */
const pingEveryMs = 15_000;
/** A message counts as one frame towards the limits, however many fragments it has. */
const maxFragments = 128;
/** How much a slow peer may leave unread: more than 20 seconds of audio. */
export const maxUnsentBytes = 1024 * 1024;
/** Close code for open sockets when the service shuts down; the client should reconnect. */
export const goingAway = 4503;

/** The WebSockets of the server, with the same admission, logging and shutdown as operations. */
export class Sockets {
  readonly #parts: SocketParts;
  readonly #router = findMyWay({ maxParamLength: 16 * 1024, querystringParser: () => ({}) });
  readonly #servers = new Map<SocketRoute, WebSocketServer>();
  readonly #open = new Map<WebSocket, { isAlive: boolean; readonly drain: SocketDrain }>();
  readonly #pings: NodeJS.Timeout;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    for (const route of parts.routes) {
      this.#router.on('GET', route.path, () => {}, route);
      // Compression does not make audio frames smaller.
      const options = { noServer: true, clientTracking: false, perMessageDeflate: false, maxFragments } as const;
      this.#servers.set(route, new WebSocketServer({ ...options, ...socketLimits, maxPayload: route.maxFrameBytes }));
    }
    this.#pings = setInterval(() => this.#ping(), pingEveryMs).unref();
  }

  get count(): number {
    return this.#open.size;
  }

  /**
   * Whether the request is an upgrade to one of these endpoints. Other upgrades are ignored and served as plain
   * requests.
   */
  matches({ method, url, headers }: IncomingMessage): boolean {
    if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false;
    // A body would not be read before the socket is open.
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
    return this.#router.find('GET', url ?? '') !== null;
  }

  /** Handles an upgrade for which `matches` returned true. */
  async upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { overload, rateLimiter, lifecycle, requestIdOf, clientAddresses, requestLog } = this.#parts;
    const receivedAt = performance.now();
    const match = this.#router.find('GET', request.url ?? '');
    const route = match?.store as SocketRoute;
    const requestId = requestIdOf(request.headers);
    const address = clientAddresses.ofRequest(request);
    const log = (status: number, caller: Caller | null): void => {
      const durationMs = performance.now() - receivedAt;
      requestLog.request({ requestId, method: 'GET', route: route.id, status, durationMs, address, caller });
    };
    // Handles connection errors before the socket is open; `ws` listens from then on.
    socket.on('error', () => socket.destroy());
    // Notices a client that disconnects while it waits. Nothing else may arrive before the socket is open.
    socket.resume();
    try {
      lifecycle.lastRequestAt = receivedAt;
      const client = {
        get isDisconnected() {
          return socket.destroyed;
        },
      };
      if (!(await overload.admit(client, false))) throw overloaded;
      if (lifecycle.stage === 'closing') throw notAccepting('The service is shutting down.');
      checkHandshake(request.headers);
      const protocols = protocolsIn(request.headers);
      const params = match?.params as Readonly<Record<string, string>>;
      const accepted = await route.accept({ requestId, headers: request.headers, params, protocols });
      // Sockets with an access token do not count towards the limit of the key that created it.
      const ownKeyId = accepted.caller?.access === null ? accepted.caller.keyId : null;
      const refusal = ownKeyId === null ? null : (await rateLimiter.admit(ownKeyId)).refusal;
      if (refusal !== null) throw refusal;
      if (socket.destroyed) return;
      if (accepted.protocol === null) delete request.headers['sec-websocket-protocol'];
      else request.headers['sec-websocket-protocol'] = accepted.protocol;
      const server = this.#servers.get(route) as WebSocketServer;
      const addRequestId = (lines: string[]): void => void lines.push(`X-Request-Id: ${requestId}`);
      server.on('headers', addRequestId);
      server.handleUpgrade(request, socket, head, (opened) => {
        log(101, accepted.caller);
        this.#track(opened, accepted.drain);
        accepted.open(opened, limitPeer(opened, socket));
      });
      // The listener was not called if the client has gone in the meantime: the next client must not get this id.
      server.off('headers', addRequestId);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (statusOf(error) >= 500 && !error.isExpected) requestLog.failure(requestId, error);
      if (socket.writable) writeRawError(socket, { error, requestId, isHead: false });
      // Does not wait for the client to close its side: without a key it could otherwise use up all connections.
      socket.destroySoon();
      log(statusOf(error), null);
    }
  }

  /** Asks peers to reconnect elsewhere, and terminates those that do not close in time. `onlyNow`: not those that stay. */
  async close(onlyNow = false): Promise<void> {
    if (!onlyNow) clearInterval(this.#pings);
    const closing = [...this.#open].filter(([, { drain }]) => !onlyNow || drain === 'close');
    await Promise.all(
      closing.map(
        ([socket]) =>
          new Promise<void>((resolve) => {
            const timer = setTimeout(() => socket.terminate(), socketCloseMs);
            socket.once('close', () => {
              clearTimeout(timer);
              resolve();
            });
            socket.close(goingAway, 'The service is shutting down.');
          }),
      ),
    );
  }

  #track(socket: WebSocket, drain: SocketDrain): void {
    const state = { isAlive: true, drain };
    this.#open.set(socket, state);
    socket.on('pong', () => {
      state.isAlive = true;
    });
    socket.once('close', () => this.#open.delete(socket));
  }

  #ping(): void {
    for (const [socket, state] of this.#open) {
      if (!state.isAlive || socket.bufferedAmount > maxUnsentBytes) socket.terminate();
      else {
        state.isAlive = false;
        socket.ping();
      }
    }
  }
}

/** Returns false without sending if the peer has too many unread bytes; the caller then closes the socket. */
export function sendWithin(socket: WebSocket, data: string | Uint8Array): boolean {
  if (socket.bufferedAmount > maxUnsentBytes) return false;
  socket.send(data);
  return true;
}

/** Validated here because `ws` would respond in plain text. */
function checkHandshake(headers: IncomingHttpHeaders): void {
  const key = headers['sec-websocket-key'];
  if (key === undefined || !/^[+/0-9A-Za-z]{22}==$/.test(key)) throw malformed('Sec-WebSocket-Key is not valid');
  const version = headers['sec-websocket-version'];
  if (version !== '13' && version !== '8') throw malformed('Sec-WebSocket-Version must be 13');
}

function protocolsIn(headers: IncomingHttpHeaders): string[] {
  const text = headers['sec-websocket-protocol'] ?? '';
  return text
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '');
}
