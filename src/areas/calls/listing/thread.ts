import type { Call } from '../../../contract/calls/call.ts';
import { serviceUnavailable } from '../../../core/errors.ts';
import { programFile } from '../../../process/pool/job-runner.ts';
import { Pool, type PoolLimits } from '../../../process/pool/pool.ts';
import { Thread, type ThreadProgram } from '../../../process/threads/thread.ts';
import type { Database } from '../../../storage/database.ts';
import type { Page } from '../../../storage/page.ts';
import type { CallSearch, Progress } from './scan.ts';

export interface SearchJob {
  readonly search: CallSearch;
  readonly progress: Progress;
}

export type SearchResult =
  | { readonly items: Uint8Array<ArrayBuffer>; readonly next: string | null }
  /** `isUnavailable`: the database could not be reached. */
  | { readonly isUnavailable: boolean; readonly message: string };

const defaultLimits: PoolLimits = {
  runners: 2,
  runnersPerWorkspace: 2,
  waiting: 32,
  maxWaitMs: 5000,
  maxMs: 10_000,
  idleMs: 60_000,
};

/** Threads that finish searches, so that long ones do not delay requests and calls. */
export class SearchThreads {
  readonly #pool: Pool<SearchJob, SearchResult>;

  constructor({ location }: Database, limits: Partial<PoolLimits> = {}) {
    const program: ThreadProgram = {
      file: programFile('./worker', import.meta.url),
      name: 'searches',
      workerData: location,
      // A step holds 2,000 rows, and a page 8 MiB.
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
    };
    this.#pool = new Pool(program.name, (onExit) => new Thread(program, onExit), { ...defaultLimits, ...limits });
  }

  async finish(job: SearchJob): Promise<Page<Call>> {
    const result = await this.#pool.perform(job.search.workspaceId, job);
    if (result === 'time' || result === 'memory') throw serviceUnavailable('The search took too long.');
    if ('items' in result) return { items: Buffer.from(result.items.buffer), next: result.next };
    if (result.isUnavailable) throw serviceUnavailable('The database is unavailable.', new Error(result.message));
    throw new Error(result.message);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
