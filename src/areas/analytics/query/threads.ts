import type { AnalyticsQuery, AnalyticsResult } from '../../../contract/analytics/query.ts';
import { unprocessable } from '../../../core/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { ReaderThreads } from '../../../storage/readers/reader-threads.ts';
import type { PoolLimits } from '../../../workers/pool.ts';
import { programFile } from '../../../workers/program-file.ts';
import type { AnalyticsJob, AnalyticsReply, SeenName } from './job.ts';

/** A page of charts sends a dozen queries at once; one workspace never occupies every thread. */
const limits: Partial<PoolLimits> = { runnersPerWorkspace: 1, waiting: 64, maxWaitMs: 10_000 };

export type AnalyticsQueries = ReturnType<typeof createQueries>;

/** Answers queries in threads. */
export function createQueries(database: Database, now: () => number) {
  const program = { file: programFile('./worker', import.meta.url), name: 'queries' };
  const threads = new ReaderThreads<AnalyticsJob, AnalyticsReply>(database, program, limits);

  return {
    query: async (workspaceId: string, query: AnalyticsQuery): Promise<AnalyticsResult> => {
      const startedAt = performance.now();
      const reply = await threads.read(workspaceId, { query: { workspaceId, query, now: now() } });
      if ('refused' in reply) throw unprocessable({}, [reply.refused]);
      if (!('result' in reply)) throw new Error('the thread did not answer the query');
      return { ...reply.result, tookMs: Math.round(performance.now() - startedAt) };
    },

    /** The free-form names that the newest calls have. */
    seenNames: async (workspaceId: string): Promise<readonly SeenName[]> => {
      const reply = await threads.read(workspaceId, { namesOf: workspaceId });
      return 'names' in reply ? reply.names : [];
    },

    /** Ends the threads. Queries that are still running fail. */
    close: (): Promise<void> => threads.close(),
  };
}
