/** Runs in a child process: what an agent and a script make it allocate is lost with it. */
import { serveJobs } from '../../workers/children/serve-jobs.ts';
import { type ExplorationJob, performExploration } from './exploration.ts';
import { performJob, type SimulationJob } from './job.ts';

serveJobs((job: SimulationJob | ExplorationJob) => ('explored' in job ? performExploration(job) : performJob(job)));
