import type { MadeKey } from '../keys.ts';

/** A logical clock that orders requests and responses of the campaign. */
export class Ticks {
  #now = 0;

  next(): number {
    this.#now += 1;
    return this.#now;
  }
}

interface NameChange {
  readonly name: string;
  readonly sent: number;
  answered: number;
}

const never = Number.POSITIVE_INFINITY;

/** An agent as tracked by the campaign: when it surely existed, when it was surely gone, and its names over time. */
export class TrackedAgent {
  readonly id: string;
  readonly createdAt: number;
  readonly nameChanges: NameChange[];
  /** Acknowledged requests, as the audit log must show them. */
  readonly operations: { readonly requestId: string; readonly answered: number }[] = [];
  deletionSent = never;
  deletionAcknowledged = never;
  /** One change at a time, so that the name at any time is certain. */
  isBusy = false;

  constructor(id: string, name: string, createdAt: number) {
    this.id = id;
    this.createdAt = createdAt;
    this.nameChanges = [{ name, sent: 0, answered: 0 }];
  }

  existedThroughout(start: number, end: number): boolean {
    return this.createdAt < start && this.deletionSent > end;
  }

  /** Every name that it may have had between the two ticks. */
  namesBetween(start: number, end: number): string[] {
    return this.nameChanges
      .filter(({ sent }, index) => sent < end && (this.nameChanges[index + 1]?.answered ?? never) > start)
      .map(({ name }) => name);
  }
}

/** A workspace, the agents created in it, and its target size. */
export class Workspace {
  readonly key: MadeKey;
  readonly size: number;
  readonly agents = new Map<string, TrackedAgent>();
  readonly alive: TrackedAgent[] = [];
  #lastRemoval = 0;
  #pendingRemovals = 0;
  writes = 0;
  /** The agent with many versions; it is never deleted. */
  versionedAgent: { readonly id: string; newest: number; isBusy: boolean } | null = null;

  constructor(key: MadeKey, size: number) {
    this.key = key;
    this.size = size;
  }

  /** Runs an operation that removes an agent from a list or from the results of a search. */
  async removing<T>(ticks: Ticks, work: () => Promise<T>): Promise<T> {
    this.#pendingRemovals += 1;
    try {
      return await work();
    } finally {
      this.#pendingRemovals -= 1;
      this.#lastRemoval = ticks.next();
    }
  }

  /** Whether anything may have been removed since: then a page may be empty. */
  mayHaveRemovedSince(tick: number): boolean {
    return this.#pendingRemovals > 0 || this.#lastRemoval > tick;
  }

  add(agent: TrackedAgent): void {
    this.agents.set(agent.id, agent);
    this.alive.push(agent);
  }
}
