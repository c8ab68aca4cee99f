import { bucketOf, buckets } from './latencies.ts';

/** What was asked in one step of time. */
export interface Counts {
  requests: number;
  refusals: number;
  errors: number;
  readonly latencies: number[];
}

/** Counts of one workspace in one step, as they go to the database: the whole of it, however often. */
export interface CountsRow {
  readonly workspaceId: string;
  readonly stepSeconds: number;
  /** In seconds since 1970. */
  readonly at: number;
  readonly counts: Counts;
}

export function noCounts(): Counts {
  return { requests: 0, refusals: 0, errors: 0, latencies: new Array<number>(buckets).fill(0) };
}

interface Step extends CountsRow {
  isSaved: boolean;
}

/** Counts requests, and hands the counts over in batches: never a write in a request. */
export class RequestCounts {
  readonly #steps: readonly number[];
  readonly #now: () => number;
  readonly #save: (rows: readonly CountsRow[]) => Promise<void>;
  /** For each length of steps, the one that each workspace is in. */
  readonly #current: Map<string, Step>[];
  /** Over, and not saved yet. */
  #over: Step[] = [];

  constructor(
    steps: readonly number[],
    save: (rows: readonly CountsRow[]) => Promise<void>,
    now: () => number = Date.now,
  ) {
    this.#steps = steps;
    this.#save = save;
    this.#now = now;
    this.#current = steps.map(() => new Map());
  }

  note(workspaceId: string, status: number, durationMs: number): void {
    const second = Math.floor(this.#now() / 1000);
    const bucket = bucketOf(durationMs);
    for (let place = 0; place < this.#steps.length; place += 1) {
      const { counts } = this.#stepOf(place, workspaceId, second);
      counts.requests += 1;
      if (status >= 500) counts.errors += 1;
      else if (status >= 400) counts.refusals += 1;
      counts.latencies[bucket] = (counts.latencies[bucket] as number) + 1;
    }
  }

  #stepOf(place: number, workspaceId: string, second: number): Step {
    const stepSeconds = this.#steps[place] as number;
    const at = second - (second % stepSeconds);
    const current = this.#current[place] as Map<string, Step>;
    let step = current.get(workspaceId);
    if (step === undefined || step.at !== at) {
      if (step !== undefined && !step.isSaved) this.#over.push(step);
      step = { workspaceId, stepSeconds, at, counts: noCounts(), isSaved: false };
      current.set(workspaceId, step);
    }
    step.isSaved = false;
    return step;
  }

  /** Saves what has changed, and forgets what is over. */
  async flush(): Promise<void> {
    const second = Math.floor(this.#now() / 1000);
    const over = this.#over;
    this.#over = [];
    const changed: Step[] = [];
    for (const current of this.#current) {
      for (const [workspaceId, step] of current) {
        if (!step.isSaved) changed.push(step);
        // Nobody asks for this workspace any more: it is not to stay in memory.
        if (second >= step.at + step.stepSeconds) current.delete(workspaceId);
      }
    }
    const rows = [...over, ...changed];
    if (rows.length === 0) return;
    // Before the save: what is counted while it lasts is to be saved the next time.
    for (const step of rows) step.isSaved = true;
    try {
      await this.#save(rows);
    } catch (error) {
      for (const step of rows) step.isSaved = false;
      const isCurrent = (step: Step) => this.#current.some((current) => current.get(step.workspaceId) === step);
      // As much as an hour of them: where the database stays away, older ones are of no use any more.
      this.#over.push(...rows.filter((step) => !isCurrent(step) && second - step.at < 3600));
      throw error;
    }
  }
}
