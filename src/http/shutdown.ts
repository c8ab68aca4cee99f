import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';

/**
 * In `leaving`, only /readyz changes: connections are accepted and kept, so that load balancers can switch to another
 * instance before anything is refused. In `closing`, no connections are accepted, and every response closes its
 * connection.
 */
export type Stage = 'serving' | 'leaving' | 'closing';

/** The stage of the process between start and exit. */
export class Lifecycle {
  #stage: Stage = 'serving';
  readonly #waiting = new Set<() => void>();
  /** When an operation was last requested, by `performance.now()`. */
  lastRequestAt = Number.NEGATIVE_INFINITY;

  get stage(): Stage {
    return this.#stage;
  }

  set stage(stage: Stage) {
    if (stage === this.#stage) return;
    this.#stage = stage;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const stop of waiting) stop();
  }

  /**
   * Calls `stop` once, when the service starts to shut down. A request that starts to wait during `leaving` is stopped
   * by `closing`: its client would otherwise ask again at once, over and over. Returns how to cancel that.
   */
  onDrain(stop: () => void): () => void {
    if (this.#stage === 'closing') {
      stop();
      return () => {};
    }
    this.#waiting.add(stop);
    return () => void this.#waiting.delete(stop);
  }
}

/** The server to drain. */
export interface Drainable {
  /** Open connections, busy or idle. */
  readonly connectionCount: number;
  /** Connections that were accepted since the start. */
  readonly acceptedCount: number;
  /** Stops accepting connections. Open ones stay. */
  stopListening(): void;
  /** Closes WebSockets, whose clients reconnect to another instance. `onlyNow`: not those that stay until they end. */
  closeSockets(onlyNow: boolean): void;
  /** Closes connections without a request in progress for this long. */
  closeIdleFor(ms: number): void;
  /** Cuts off all connections except WebSockets. */
  closeRequests(): void;
  closeAll(): void;
}

/** The service counts as unused after this long without a request. */
const quietMs = 1000;
/** How long to wait for that before connections are no longer accepted, and again before idle ones are closed. */
const maxNoticeMs = 3000;
const maxCloseNoticeMs = 2000;
/** How long requests in progress may take after a signal. The rest of the ten seconds is for closing the database. */
export const maxRequestMs = 8000;
/** How long the client of a WebSocket may take to close its side after we closed ours. */
export const socketCloseMs = 2000;
const stepMs = 25;
/** An iteration of the event loop that is this short leaves hardly any time for a connection to arrive unnoticed. */
const shortIterationMs = 0.5;
/** How long to wait for such an iteration. */
const maxAcceptMs = 250;

/** What time it is, and how it passes. */
export interface Clock {
  now(): number;
  delay(ms: number): Promise<unknown>;
}

const realClock: Clock = { now: () => performance.now(), delay };

export interface DrainOptions {
  /** How long WebSockets that stay may do so after the signal. */
  readonly socketMs?: number;
  readonly clock?: Clock;
}

/**
 * Shuts down without losing a request. When an idle connection is closed, a request may be in flight on it, and a proxy
 * must not retry one that is not idempotent. So connections are closed only once they are unused: a proxy has seen
 * /readyz fail, was refused a connection, or has received a response with `Connection: close`.
 */
export async function drain(
  server: Drainable,
  lifecycle: Lifecycle,
  { socketMs = 0, clock = realClock }: DrainOptions = {},
): Promise<void> {
  const start = clock.now();
  const socketsUntil = start + socketMs;
  let areSocketsClosed = false;
  const closeSockets = (): void => {
    if (areSocketsClosed) return;
    areSocketsClosed = clock.now() >= socketsUntil;
    server.closeSockets(!areSocketsClosed);
  };
  // Without open connections there is nobody to notify, unless clients connect for each request.
  const quietFrom = server.connectionCount === 0 ? Number.NEGATIVE_INFINITY : start;
  const isQuiet = (): boolean => clock.now() - Math.max(quietFrom, lifecycle.lastRequestAt) >= quietMs;

  lifecycle.stage = 'leaving';
  await waitUntil(isQuiet, maxNoticeMs, clock);
  await acceptAll(server, clock);
  lifecycle.stage = 'closing';
  server.stopListening();
  closeSockets();
  await waitUntil(() => server.connectionCount === 0 || isQuiet(), maxCloseNoticeMs, clock);
  await waitUntil(
    () => {
      // A connection that was just opened is about to send its first request.
      server.closeIdleFor(quietMs);
      if (clock.now() >= start + maxRequestMs) server.closeRequests();
      if (clock.now() >= socketsUntil) closeSockets();
      return server.connectionCount === 0;
    },
    Math.max(start + maxRequestMs, socketsUntil + socketCloseMs) - clock.now(),
    clock,
  );
  server.closeAll();
}

/**
 * Resolves directly after a short iteration that found no connection to accept. The kernel completes connections on its
 * own, and resets those that the process has not accepted when the listeners close, with the requests on them.
 */
async function acceptAll(server: Drainable, clock: Clock): Promise<void> {
  const deadline = clock.now() + maxAcceptMs;
  for (let before = -1, start = 0; clock.now() < deadline; ) {
    await nextIteration();
    const now = clock.now();
    if (server.acceptedCount === before && now - start < shortIterationMs) return;
    before = server.acceptedCount;
    start = now;
  }
}

async function waitUntil(isDone: () => boolean, maxMs: number, clock: Clock): Promise<void> {
  const deadline = clock.now() + maxMs;
  for (;;) {
    // Reads pending input first: after a pause of the process, the elapsed time alone says nothing about its clients.
    await nextIteration();
    if (isDone() || clock.now() >= deadline) return;
    await clock.delay(stepMs);
  }
}
