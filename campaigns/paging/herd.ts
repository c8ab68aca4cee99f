import type { MadeKey } from '../keys.ts';

/** A logical clock that orders requests and responses of the campaign. */
export class Ticks {
  #now = 0;

  next(): number {
    this.#now += 1;
    return this.#now;
  }
}

interface Naming {
  readonly name: string;
  readonly sent: number;
  answered: number;
}

const never = Number.POSITIVE_INFINITY;

/** An agent as tracked by the campaign: when it surely existed, when it was surely gone, and its names over time. */
export class Beast {
  readonly id: string;
  readonly bornAt: number;
  readonly namings: Naming[];
  /** Acknowledged requests, as the audit log must show them. */
  readonly deeds: { readonly requestId: string; readonly answered: number }[] = [];
  deathSent = never;
  deathAnswered = never;
  /** One change at a time, so that the name at any time is certain. */
  isBusy = false;

  constructor(id: string, name: string, bornAt: number) {
    this.id = id;
    this.bornAt = bornAt;
    this.namings = [{ name, sent: 0, answered: 0 }];
  }

  livedThrough(start: number, end: number): boolean {
    return this.bornAt < start && this.deathSent > end;
  }

  /** Every name that it may have had between the two ticks. */
  namesBetween(start: number, end: number): string[] {
    return this.namings
      .filter(({ sent }, index) => sent < end && (this.namings[index + 1]?.answered ?? never) > start)
      .map(({ name }) => name);
  }
}

/** A workspace, the agents created in it, and its target size. */
export class Herd {
  readonly key: MadeKey;
  readonly size: number;
  readonly beasts = new Map<string, Beast>();
  readonly alive: Beast[] = [];
  #lastRemoval = 0;
  #removalsUnderWay = 0;
  writes = 0;
  /** The agent with many versions; it is never deleted. */
  elder: { readonly id: string; newest: number; isBusy: boolean } | null = null;

  constructor(key: MadeKey, size: number) {
    this.key = key;
    this.size = size;
  }

  /** Runs an operation that removes an agent from a list or from the results of a search. */
  async removing<T>(ticks: Ticks, work: () => Promise<T>): Promise<T> {
    this.#removalsUnderWay += 1;
    try {
      return await work();
    } finally {
      this.#removalsUnderWay -= 1;
      this.#lastRemoval = ticks.next();
    }
  }

  /** Whether anything may have been removed since: then a page may be empty. */
  mayHaveLostSince(tick: number): boolean {
    return this.#removalsUnderWay > 0 || this.#lastRemoval > tick;
  }

  add(beast: Beast): void {
    this.beasts.set(beast.id, beast);
    this.alive.push(beast);
  }
}
