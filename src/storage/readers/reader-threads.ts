import { serviceUnavailable } from '../../core/errors.ts';
import { Pool, type PoolLimits } from '../../workers/pool.ts';
import { Thread, type ThreadProgram } from '../../workers/thread.ts';
import type { Database } from '../database.ts';

/** What a thread replies. */
export type ReadReply<Result> =
  | { readonly result: Result }
  /** `isUnavailable`: the database could not be reached. */
  | { readonly isUnavailable: boolean; readonly message: string };

export interface ReadProgram {
  /** Calls `serveReads`. */
  readonly file: URL;
  /** In the plural, such as `searches`. */
  readonly name: string;
}

/** How many run at once, which reads may wait for them, and how long each may take. */
const defaultLimits: PoolLimits = {
  runners: 2,
  runnersPerWorkspace: 2,
  waiting: 32,
  maxWaitMs: 5000,
  maxMs: 10_000,
  idleMs: 60_000,
};
/** A step of a search holds 2,000 rows, and a page 8 MiB. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/** Threads with connections of their own, so that reads of many rows do not delay requests and calls. */
export class ReaderThreads<Job, Result> {
  readonly #pool: Pool<Job, ReadReply<Result>>;

  constructor({ location }: Database, { file, name }: ReadProgram, limits: Partial<PoolLimits> = {}) {
    const program: ThreadProgram = { file, name, workerData: location, resourceLimits };
    this.#pool = new Pool(name, (onExit) => new Thread(program, onExit), { ...defaultLimits, ...limits });
  }

  async read(workspaceId: string, job: Job): Promise<Result> {
    const reply = await this.#pool.perform(workspaceId, job);
    if (reply === 'time' || reply === 'memory') throw serviceUnavailable('The query took too long.');
    if ('result' in reply) return reply.result;
    if (reply.isUnavailable) throw serviceUnavailable('The database is unavailable.', new Error(reply.message));
    throw new Error(reply.message);
  }

  /** What is still being read fails. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
