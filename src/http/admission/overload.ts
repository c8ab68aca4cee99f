import { notAccepting } from '../../core/errors.ts';

/** Requests that arrive in one iteration of the event loop are served for this long, then everything else gets its chance. */
const maxTurnMs = 10;
/** What is started shows in the wait for the database a moment later, so only this many are started in one turn. */
const maxStartedInTurn = 64;
/** A request that would wait longer than this is refused instead. */
const maxWaitMs = 1000;
/** The same for the wait for the database, which follows the wait here. */
const maxDatabaseWaitMs = 500;
/** This many may always wait: after a pause of the process they are served in the next turns, and it is no overload. */
const minQueueLength = 256;
/** A request that has waited this long is the next one to be refused. */
const maxSilenceMs = 2000;
/** A refusal takes time too. It gets no more than this share, or nothing else would be done under a flood. */
const refusalShare = 0.15;
/** What it takes to parse a request and to refuse it. */
const refusalMs = 0.03;
const maxRefusalCreditMs = 50;
/** Until the next look, when nothing can be started or refused. */
const pauseMs = 2;

/** The client of a request, as far as it matters here. */
export interface Waiting {
  readonly isDisconnected: boolean;
}

interface Entry {
  readonly request: Waiting;
  readonly isWrite: boolean;
  readonly arrivedAt: number;
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

export interface OverloadParts {
  /** How long a request would wait for the database before its work starts, as far as that is known. */
  readonly databaseWaitMs: (isWrite: boolean) => number;
  readonly now?: () => number;
  readonly nextTurn?: (callback: () => void) => void;
  readonly later?: (callback: () => void, afterMs: number) => void;
  /** Resolves once everything that was started has run as far as it can without waiting for I/O. */
  readonly settled?: () => Promise<void>;
}

/** Created once: with its stack it costs more than the rest of the refusal. */
const overloaded = notAccepting('The service is overloaded.');

/**
 * Every request to an operation passes here. Normally it is started at once. If more arrive than can be served, requests
 * wait in a queue; if the queue, or the one of the database, is so long that a request would wait too long, it is refused
 * with 503, as long as refusals do not take the time that serving needs.
 *
 * A queue that long is served from its end: the client that came last is still waiting for its response, and those before
 * it would get theirs too late in any order.
 */
export class OverloadGuard {
  readonly #parts: OverloadParts;
  readonly #now: () => number;
  readonly #nextTurn: (callback: () => void) => void;
  readonly #later: (callback: () => void, afterMs: number) => void;
  readonly #settled: () => Promise<void>;
  /** When this turn started; below zero between turns. */
  #turnStart = -1;
  /** In the order of arrival; those before `#first` are done. */
  #queue: Entry[] = [];
  #first = 0;
  #creditMs = maxRefusalCreditMs;
  #creditAt = 0;

  constructor(parts: OverloadParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
    this.#nextTurn = parts.nextTurn ?? ((callback) => void setImmediate(callback));
    this.#later = parts.later ?? ((callback, afterMs) => void setTimeout(callback, afterMs));
    this.#settled = parts.settled ?? microtasksDone;
  }

  /** Undefined if the request may start now. Otherwise resolves when it may, and rejects if it is refused. */
  admit(request: Waiting, isWrite: boolean): Promise<void> | undefined {
    const now = this.#now();
    if (this.#turnStart < 0) {
      this.#turnStart = now;
      this.#nextTurn(this.#endTurn);
    }
    const isCrowded = this.#length > 0 || now - this.#turnStart > maxTurnMs;
    if (!isCrowded && this.#hasRoom(isWrite)) return undefined;
    return new Promise((start, refuse) => {
      this.#enqueue({ request, isWrite, arrivedAt: now, start, refuse });
    });
  }

  get #length(): number {
    return this.#queue.length - this.#first;
  }

  #enqueue(entry: Entry): void {
    const { isWrite, arrivedAt: now } = entry;
    const isQueueLong = this.#length > minQueueLength && this.#hasOldestWaited(maxWaitMs, now);
    const isTooLong = isQueueLong || !this.#hasRoom(isWrite);
    if (!isTooLong || !this.#mayRefuse(now)) {
      this.#queue.push(entry);
      return;
    }
    this.#refuse(entry);
    // With each newcomer one that has waited too long, so that neither kind is left without a response.
    if (this.#isOldestOverdue(now)) this.#refuse(this.#takeOldest());
  }

  readonly #endTurn = async (): Promise<void> => {
    const start = this.#now();
    this.#turnStart = -1;
    if (this.#length === 0) return;
    this.#turnStart = start;
    const lengthBefore = this.#length;
    await this.#serveQueue(start);
    this.#refuseOldest();
    if (this.#first * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#first);
      this.#first = 0;
    }
    if (this.#length < lengthBefore) this.#nextTurn(this.#endTurn);
    else this.#later(this.#endTurn, pauseMs);
  };

  async #serveQueue(start: number): Promise<void> {
    let started = 0;
    for (let now = start; this.#length > 0 && now - start <= maxTurnMs; now = this.#now()) {
      const isLong = this.#hasOldestWaited(maxWaitMs, now);
      const next = this.#queue[isLong ? this.#queue.length - 1 : this.#first] as Entry;
      if (!this.#hasRoom(next.isWrite)) {
        if (!this.#mayRefuse(now)) return;
        this.#refuse(this.#takeOldest());
        continue;
      }
      if (isLong) this.#queue.pop();
      else this.#first += 1;
      // If the client has disconnected while it waited, nothing is started for it.
      if (next.request.isDisconnected) continue;
      next.start();
      await this.#settled();
      started += 1;
      if (started === maxStartedInTurn) return;
    }
  }

  #refuseOldest(): void {
    for (let now = this.#now(); this.#isOldestOverdue(now) && this.#mayRefuse(now); now = this.#now()) {
      this.#refuse(this.#takeOldest());
    }
  }

  #isOldestOverdue(now: number): boolean {
    return this.#length > minQueueLength && this.#hasOldestWaited(maxSilenceMs, now);
  }

  #takeOldest(): Entry {
    const oldest = this.#queue[this.#first] as Entry;
    this.#first += 1;
    return oldest;
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

  #refuse({ refuse }: Entry): void {
    refuse(overloaded);
    this.#creditMs -= refusalMs;
  }
}

function microtasksDone(): Promise<void> {
  return new Promise((resolve) => {
    // A tick that is queued by a microtask runs after the last of the microtasks.
    queueMicrotask(() => process.nextTick(resolve));
  });
}
