import type { Transport } from './transport.ts';

/** One request to an operation, ready to be carried out, or to be turned away. */
export interface Arrival {
  readonly isWrite: boolean;
  carryOut(transport: Transport, receivedAt: number): void;
  /** Answers that there is too much to do. */
  turnAway(transport: Transport, receivedAt: number): void;
}

export interface TurnstileParts {
  /** How long a request would wait for the database before its work begins, as far as that can be told. */
  readonly databaseWaitMs: (isWrite: boolean) => number;
  readonly now?: () => number;
  readonly nextTurn?: (callback: () => void) => void;
  readonly later?: (callback: () => void, afterMs: number) => void;
}

/** Requests of one turn of the event loop are served for so long; then whatever else waits has its chance first. */
const longestTurnMs = 10;
/** What is begun shows in the wait for the database a moment later, so it is not too much at once. */
const mostAtOnce = 64;
/** Whoever would wait longer than this is turned away instead. */
const longestWaitMs = 1000;
/** The same for the wait before the database, which comes on top of the one here. */
const longestDatabaseWaitMs = 500;
/** So many may wait: where the machine holds the process up there is no overload, and the next turns serve them. */
const ordinaryRow = 256;
/** Who has waited for so long without being served is the first to be told that it will not be. */
const longestSilenceMs = 2000;
/** To turn somebody away costs as well. No more of the time than this goes into it, lest nothing else gets done. */
const shareForRefusals = 0.12;
/** Reading a request, before anything can be measured here. */
const readingMs = 0.012;
const mostCreditMs = 50;
/** Where nothing can be done at the moment, neither served nor refused. */
const pauseMs = 2;

interface Waiting {
  readonly arrival: Arrival;
  readonly transport: Transport;
  readonly receivedAt: number;
}

/**
 * Every request to an operation passes here. In ordinary times it is served at once. Where more comes than can be served,
 * requests wait in a row; where that row, or the one before the database, has grown so long that a request would wait too
 * long, it is told so at once, as long as telling does not take the time that serving needs.
 *
 * A row that long is served from its end: whoever came last is still there to be answered in time, and those before would
 * be too late in any order.
 */
export class Turnstile {
  readonly #parts: TurnstileParts;
  readonly #now: () => number;
  readonly #nextTurn: (callback: () => void) => void;
  readonly #later: (callback: () => void, afterMs: number) => void;
  /** When this turn began; below zero between turns. */
  #turnStart = -1;
  /** In the order of their arrival; the ones before `#first` are gone. */
  #row: Waiting[] = [];
  #first = 0;
  #creditMs = mostCreditMs;
  #creditAt = 0;

  constructor(parts: TurnstileParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
    this.#nextTurn = parts.nextTurn ?? ((callback) => void setImmediate(callback));
    this.#later = parts.later ?? ((callback, afterMs) => void setTimeout(callback, afterMs));
  }

  pass(arrival: Arrival, transport: Transport): void {
    const now = this.#now();
    if (this.#turnStart < 0) {
      this.#turnStart = now;
      this.#nextTurn(this.#endTurn);
    }
    const isCrowded = this.#length > 0 || now - this.#turnStart > longestTurnMs;
    if (!isCrowded && this.#hasRoom(arrival)) this.#serve({ arrival, transport, receivedAt: now });
    else this.#receive({ arrival, transport, receivedAt: now });
  }

  get #length(): number {
    return this.#row.length - this.#first;
  }

  #receive(newcomer: Waiting): void {
    const { arrival, receivedAt: now } = newcomer;
    const isRowLong = this.#length > ordinaryRow && this.#hasOldestWaited(longestWaitMs, now);
    const wouldWait = isRowLong || !this.#hasRoom(arrival);
    if (!wouldWait || !this.#mayRefuse(now)) {
      this.#row.push(newcomer);
      return;
    }
    this.#refuse(newcomer, now);
    // One who has waited for too long goes with each that has not waited at all, so that neither is forgotten.
    if (this.#isOldestDue(now)) this.#refuse(this.#takeOldest(), this.#now());
  }

  readonly #endTurn = (): void => {
    const start = this.#now();
    this.#turnStart = -1;
    if (this.#length === 0) return;
    this.#turnStart = start;
    const lengthBefore = this.#length;
    this.#serveRow(start);
    this.#refuseOldest();
    if (this.#length < lengthBefore) this.#nextTurn(this.#endTurn);
    else this.#later(this.#endTurn, pauseMs);
    if (this.#first * 2 > this.#row.length) {
      this.#row = this.#row.slice(this.#first);
      this.#first = 0;
    }
  };

  #serveRow(start: number): void {
    let served = 0;
    for (let now = start; this.#length > 0 && now - start <= longestTurnMs; now = this.#now()) {
      const isLong = this.#hasOldestWaited(longestWaitMs, now);
      const next = this.#row[isLong ? this.#row.length - 1 : this.#first] as Waiting;
      if (!this.#hasRoom(next.arrival)) {
        if (!this.#mayRefuse(now)) return;
        this.#refuse(this.#takeOldest(), now);
        continue;
      }
      if (isLong) this.#row.pop();
      else this.#first += 1;
      this.#serve(next);
      served += 1;
      if (served === mostAtOnce) return;
    }
  }

  #refuseOldest(): void {
    for (let now = this.#now(); this.#isOldestDue(now) && this.#mayRefuse(now); now = this.#now()) {
      this.#refuse(this.#takeOldest(), now);
    }
  }

  #isOldestDue(now: number): boolean {
    return this.#length > ordinaryRow && this.#hasOldestWaited(longestSilenceMs, now);
  }

  #takeOldest(): Waiting {
    const oldest = this.#row[this.#first] as Waiting;
    this.#first += 1;
    return oldest;
  }

  #hasOldestWaited(ms: number, now: number): boolean {
    return this.#length > 0 && now - (this.#row[this.#first] as Waiting).receivedAt > ms;
  }

  #hasRoom({ isWrite }: Arrival): boolean {
    return this.#parts.databaseWaitMs(isWrite) <= longestDatabaseWaitMs;
  }

  #serve({ arrival, transport, receivedAt }: Waiting): void {
    // Gone while it waited: nothing has been begun for it, and nothing should be.
    if (transport.isGone) return;
    arrival.carryOut(transport, receivedAt);
  }

  #mayRefuse(now: number): boolean {
    this.#creditMs = Math.min(mostCreditMs, this.#creditMs + shareForRefusals * (now - this.#creditAt));
    this.#creditAt = now;
    return this.#creditMs > 0;
  }

  #refuse({ arrival, transport, receivedAt }: Waiting, now: number): void {
    arrival.turnAway(transport, receivedAt);
    this.#creditMs -= this.#now() - now + readingMs;
  }
}
