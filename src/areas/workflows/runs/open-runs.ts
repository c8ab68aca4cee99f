import type { Queries } from '../../../storage/database.ts';
import type { RunStore } from './store.ts';

/** Counting a hundred thousand runs takes tens of milliseconds. */
const countEveryMs = 30_000;
/** Once there are half as many as there may be. */
const countOftenMs = 5000;
const maxWorkspaces = 10_000;

interface Known {
  readonly at: number;
  count: number;
}

/**
 * How many more runs of a workspace may be open. They are counted from time to time, and this process adds its own in
 * between: a few more than the limit do no harm.
 */
export class OpenRuns {
  readonly #store: Pick<RunStore, 'countOpen'>;
  readonly #max: number;
  readonly #now: () => number;
  /** By workspace. */
  readonly #known = new Map<string, Known>();

  constructor(store: Pick<RunStore, 'countOpen'>, max: number, now: () => number) {
    this.#store = store;
    this.#max = max;
    this.#now = now;
  }

  async room(queries: Queries, workspaceId: string): Promise<number> {
    const known = this.#known.get(workspaceId);
    if (known !== undefined && this.#now() - known.at < this.#validMs(known)) return this.#max - known.count;
    const counted = { at: this.#now(), count: await this.#store.countOpen(queries, workspaceId) };
    if (this.#known.size >= maxWorkspaces) this.#known.clear();
    this.#known.set(workspaceId, counted);
    return this.#max - counted.count;
  }

  /** Counts more if the transaction is repeated, until the next count. */
  added(workspaceId: string): void {
    const known = this.#known.get(workspaceId);
    if (known !== undefined) known.count += 1;
  }

  #validMs({ count }: Known): number {
    return count < this.#max / 2 ? countEveryMs : countOftenMs;
  }
}
