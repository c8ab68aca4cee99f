/** Runs in a child process: what an agent and a script make it allocate is lost with it. */
import { serveJobs } from '../../workers/children/serve-jobs.ts';
import { performJob } from './job.ts';

serveJobs(performJob);
