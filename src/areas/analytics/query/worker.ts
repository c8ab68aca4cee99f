/** Runs in a thread: answers queries. */
import { serveReads } from '../../../storage/readers/serve-reads.ts';
import type { AnalyticsJob, AnalyticsReply } from './job.ts';
import { runQuery } from './run.ts';
import { seenNames } from './seen-names.ts';

serveReads<AnalyticsJob, AnalyticsReply>(async (reader, job) => ({
  result: 'query' in job ? await runQuery(reader, job.query) : { names: await seenNames(reader, job.namesOf) },
}));
