/** Runs in a thread: answers queries. */
import { getPriority, setPriority } from 'node:os';
import { serveReads } from '../../../storage/readers/serve-reads.ts';
import type { AnalyticsJob, AnalyticsReply } from './job.ts';
import { runQuery } from './run.ts';
import { seenNames } from './seen-names.ts';

// Callers wait for the service, and nobody for a chart: beside queries on a busy machine, replies of calls lost 2 ms at
// the median, and now lose at most one. On Linux, this is the priority of the thread alone.
if (process.platform === 'linux') setPriority(Math.max(10, getPriority()));

serveReads<AnalyticsJob, AnalyticsReply>(async (reader, job) => ({
  result: 'query' in job ? await runQuery(reader, job.query) : { names: await seenNames(reader, job.namesOf) },
}));
