/** Runs in a child process: whatever a document does to a parser, only this process dies of it. */
import { serveJobs } from '../../../workers/children/serve-jobs.ts';
import { performJob } from './job.ts';

// Parsers of broken files leave promises behind that nobody waits for.
process.on('unhandledRejection', () => {});
serveJobs(performJob);
