import { setTimeout as delay } from 'node:timers/promises';

/**
 * `leaving` is told by /readyz alone: connections are taken and kept as ever, so that whoever asks there can go elsewhere
 * before anything is refused. `closing` takes no connections, and each answer is the last one on its own.
 */
export type Stage = 'serving' | 'leaving' | 'closing';

/** Where the process stands between its start and its end. */
export class Lifecycle {
  stage: Stage = 'serving';
  /** When an operation was last asked for, by `performance.now()`. */
  lastRequestAt = Number.NEGATIVE_INFINITY;
}

/** What is drained: the connections that requests arrive on. */
export interface Drainable {
  /** Open connections, busy or idle. */
  readonly connectionCount: number;
  /** Accepts no more connections; those that are open stay. */
  stopListening(): void;
  /** Closes those without a request in progress for this long. */
  closeIdleFor(ms: number): void;
  closeAll(): void;
}

/** Nobody asks any more: so long without a request. */
const quietMs = 1000;
/** How long the service waits for that before it takes no more connections, and again before it closes the idle ones. */
const maxNoticeMs = 3000;
const maxFarewellMs = 2000;
/** Requests in work get this long after a signal; what is left of the ten seconds closes the database. */
const maxDrainMs = 8000;
const stepMs = 25;

/** What time it is, and how it passes. */
export interface Clock {
  now(): number;
  delay(ms: number): Promise<unknown>;
}

const realClock: Clock = { now: () => performance.now(), delay };

/**
 * Leaves without losing a request. A connection that is closed while it is idle may have a request on its way to it, and
 * a proxy must not send that again unless it is harmless. So none is closed before nobody uses them any more: a proxy
 * has seen /readyz, or was refused a connection, or has been told with an answer that it was the last.
 */
export async function drain(server: Drainable, lifecycle: Lifecycle, clock: Clock = realClock): Promise<void> {
  const start = clock.now();
  // With no connection there is nobody to be told, unless they come and go with each request.
  const quietFrom = server.connectionCount === 0 ? Number.NEGATIVE_INFINITY : start;
  const isQuiet = (): boolean => clock.now() - Math.max(quietFrom, lifecycle.lastRequestAt) >= quietMs;

  lifecycle.stage = 'leaving';
  await until(isQuiet, maxNoticeMs, clock);
  lifecycle.stage = 'closing';
  server.stopListening();
  await until(() => server.connectionCount === 0 || isQuiet(), maxFarewellMs, clock);
  await until(
    () => {
      // One that was just opened has its first request on the way.
      server.closeIdleFor(quietMs);
      return server.connectionCount === 0;
    },
    start + maxDrainMs - clock.now(),
    clock,
  );
  server.closeAll();
}

async function until(isSo: () => boolean, maxMs: number, clock: Clock): Promise<void> {
  const deadline = clock.now() + maxMs;
  for (;;) {
    // Only after what has arrived was read: a process that was held up sees nothing but its own pause.
    await nextTurn();
    if (isSo() || clock.now() >= deadline) return;
    await clock.delay(stepMs);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
