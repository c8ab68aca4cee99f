import { notAccepting } from '../../core/errors.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';

/** How long one iteration of the event loop may spend on starting requests before other work runs. */
const maxIterationMs = 10;
/** The load of started requests shows in the database wait only later, so each iteration starts at most this many. */
const maxStartedPerIteration = 64;
/** A request that would wait longer than this is refused instead. */
const maxWaitMs = 1000;
/** The limit for the expected database wait, which comes on top of the wait here. */
const maxDatabaseWaitMs = 500;
/**
 * This many may always wait. After a pause of the process they are served in the next iterations; that is not overload.
 */
const minQueueLength = 256;
/** After this wait, the oldest request is the next one to be refused. */
const overdueMs = 2000;
/**
 * Refusals also take processor time. This share is the maximum, so that a flood of requests cannot stop all other work.
 */
const refusalShare = 0.15;
/** The time it takes to parse and refuse one request. */
const refusalMs = 0.03;
const maxRefusalCreditMs = 50;
/** The delay before the next attempt when nothing could be started or refused. */
const pauseMs = 2;

/** The client state that admission needs. */
export interface Waiting {
  readonly isDisconnected: boolean;
}

interface Entry {
  readonly request: Waiting;
  readonly isWrite: boolean;
  readonly arrivedAt: number;
  readonly decide: (isAdmitted: boolean) => void;
}

export interface OverloadParts {
  /** The expected wait for the database before the work of a request starts. */
  readonly databaseWaitMs: (isWrite: boolean) => number;
  readonly now?: () => number;
  readonly nextIteration?: (callback: () => void) => void;
  readonly later?: (callback: () => void, afterMs: number) => void;
  /** Resolves once everything that was started has run as far as it can without waiting for I/O. */
  readonly settled?: () => Promise<void>;
}

/** Created once: capturing the stack costs more than the rest of the refusal. */
export const overloaded = notAccepting('The service is overloaded.');

/**
 * Admission control for every request to an operation. Normally a request starts immediately. When more arrive than can
 * be served, they wait in a queue. A request that would wait too long, here or for the database, is refused with 503,
 * within the share of time that refusals may take.
 *
 * An overlong queue is served from its end: the newest clients are still waiting for a response, and the older ones
 * would get theirs too late in any order.
 */
export class OverloadGuard {
  readonly #parts: OverloadParts;
  readonly #now: () => number;
  readonly #nextIteration: (callback: () => void) => void;
  readonly #later: (callback: () => void, afterMs: number) => void;
  readonly #settled: () => Promise<void>;
  /** When the current iteration started; negative between iterations. */
  #iterationStart = -1;
  /** In order of arrival. Entries before `#first` are done. */
  #queue: Entry[] = [];
  #first = 0;
  #creditMs = maxRefusalCreditMs;
  #creditAt = 0;

  constructor(parts: OverloadParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
    this.#nextIteration = parts.nextIteration ?? ((callback) => void setImmediate(callback));
    this.#later = parts.later ?? ((callback, afterMs) => void setTimeout(callback, afterMs));
    this.#settled = parts.settled ?? microtasksDone;
  }

  /**
   * True if the request may start now, false if it is refused. If neither is certain yet, resolves to it later. Nothing
   * is thrown, because a rejected promise takes longer: a tenth of a refusal.
   */
  admit(request: Waiting, isWrite: boolean): MaybePromise<boolean> {
    const now = this.#now();
    if (this.#iterationStart < 0) {
      this.#iterationStart = now;
      this.#nextIteration(this.#endIteration);
    }
    const isCrowded = this.#length > 0 || now - this.#iterationStart > maxIterationMs;
    if (!isCrowded && this.#hasRoom(isWrite)) return true;
    if (this.#isQueueTooLong(isWrite, now) && this.#mayRefuse(now)) {
      this.#creditMs -= refusalMs;
      // For each new refusal, also refuse one that has waited too long, so that neither group is left without a response.
      if (this.#isOldestOverdue(now)) this.#refuseOldest();
      return false;
    }
    return new Promise((decide) => {
      this.#queue.push({ request, isWrite, arrivedAt: now, decide });
    });
  }

  get #length(): number {
    return this.#queue.length - this.#first;
  }

  #isQueueTooLong(isWrite: boolean, now: number): boolean {
    const isLong = this.#length > minQueueLength && this.#hasOldestWaited(maxWaitMs, now);
    return isLong || !this.#hasRoom(isWrite);
  }

  readonly #endIteration = async (): Promise<void> => {
    const start = this.#now();
    this.#iterationStart = -1;
    if (this.#length === 0) return;
    this.#iterationStart = start;
    const lengthBefore = this.#length;
    await this.#serveQueue(start);
    this.#refuseOverdue();
    if (this.#first * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#first);
      this.#first = 0;
    }
    if (this.#length < lengthBefore) this.#nextIteration(this.#endIteration);
    else this.#later(this.#endIteration, pauseMs);
  };

  async #serveQueue(start: number): Promise<void> {
    let started = 0;
    for (let now = start; this.#length > 0 && now - start <= maxIterationMs; now = this.#now()) {
      const isLong = this.#hasOldestWaited(maxWaitMs, now);
      const next = this.#queue[isLong ? this.#queue.length - 1 : this.#first] as Entry;
      if (!this.#hasRoom(next.isWrite)) {
        if (!this.#mayRefuse(now)) return;
        this.#refuseOldest();
        continue;
      }
      if (isLong) this.#queue.pop();
      else this.#first += 1;
      // The client disconnected while it waited.
      if (next.request.isDisconnected) continue;
      next.decide(true);
      await this.#settled();
      started += 1;
      if (started === maxStartedPerIteration) return;
    }
  }

  #refuseOverdue(): void {
    for (let now = this.#now(); this.#isOldestOverdue(now) && this.#mayRefuse(now); now = this.#now()) {
      this.#refuseOldest();
    }
  }

  #isOldestOverdue(now: number): boolean {
    return this.#length > minQueueLength && this.#hasOldestWaited(overdueMs, now);
  }

  #refuseOldest(): void {
    const { decide } = this.#queue[this.#first] as Entry;
    this.#first += 1;
    this.#creditMs -= refusalMs;
    decide(false);
  }

  #hasOldestWaited(ms: number, now: number): boolean {
    return this.#length > 0 && now - (this.#queue[this.#first] as Entry).arrivedAt > ms;
  }

  #hasRoom(isWrite: boolean): boolean {
    return this.#parts.databaseWaitMs(isWrite) <= maxDatabaseWaitMs;
  }

  #mayRefuse(now: number): boolean {
    this.#creditMs = Math.min(maxRefusalCreditMs, this.#creditMs + refusalShare * (now - this.#creditAt));
    this.#creditAt = now;
    return this.#creditMs > 0;
  }
}

function microtasksDone(): Promise<void> {
  return new Promise((resolve) => {
    // A tick that is queued by a microtask runs after the last of the microtasks.
    queueMicrotask(() => process.nextTick(resolve));
  });
}
