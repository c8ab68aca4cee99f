import { bucketOf, buckets } from './latencies.ts';

/** Request counts of one time step. */
export interface Counts {
  requests: number;
  refusals: number;
  errors: number;
  readonly latencies: number[];
}

/** The counts of one workspace in one step, as saved to the database. Each save writes the full totals. */
export interface CountsRow {
  readonly workspaceId: string;
  readonly stepSeconds: number;
  /** In seconds since the epoch. */
  readonly at: number;
  readonly counts: Counts;
}

export function noCounts(): Counts {
  return { requests: 0, refusals: 0, errors: 0, latencies: new Array<number>(buckets).fill(0) };
}

interface Step extends CountsRow {
  isSaved: boolean;
}

/** Counts requests and saves the counts in batches, so that requests never write. */
export class RequestCounts {
  readonly #steps: readonly number[];
  readonly #now: () => number;
  readonly #save: (rows: readonly CountsRow[]) => Promise<void>;
  /** For each step length, the current step of each workspace. */
  readonly #current: Map<string, Step>[];
  /** Finished steps that have not been saved yet. */
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

  /** `durationMs` is null if the duration is not to be measured. */
  note(workspaceId: string, status: number, durationMs: number | null): void {
    const second = Math.floor(this.#now() / 1000);
    const bucket = durationMs === null ? null : bucketOf(durationMs);
    for (let place = 0; place < this.#steps.length; place += 1) {
      const { counts } = this.#stepOf(place, workspaceId, second);
      counts.requests += 1;
      if (status >= 500) counts.errors += 1;
      else if (status >= 400) counts.refusals += 1;
      if (bucket !== null) counts.latencies[bucket] = (counts.latencies[bucket] as number) + 1;
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

  /** Saves changed counts and removes finished steps. */
  async flush(): Promise<void> {
    const second = Math.floor(this.#now() / 1000);
    const over = this.#over;
    this.#over = [];
    const changed: Step[] = [];
    for (const current of this.#current) {
      for (const [workspaceId, step] of current) {
        if (!step.isSaved) changed.push(step);
        // Without further requests the workspace must not stay in memory.
        if (second >= step.at + step.stepSeconds) current.delete(workspaceId);
      }
    }
    const rows = [...over, ...changed];
    if (rows.length === 0) return;
    // Set before the save, so that requests counted during it are saved next time.
    for (const step of rows) step.isSaved = true;
    try {
      await this.#save(rows);
    } catch (error) {
      for (const step of rows) step.isSaved = false;
      const isCurrent = (step: Step) => this.#current.some((current) => current.get(step.workspaceId) === step);
      // Retries up to one hour of counts; if the database is unavailable for longer, older ones are dropped.
      this.#over.push(...rows.filter((step) => !isCurrent(step) && second - step.at < 3600));
      throw error;
    }
  }
}
