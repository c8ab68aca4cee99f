/** Runs in a thread: takes jobs, one at a time, and reports when each starts and how it ends. */
import { parentPort } from 'node:worker_threads';
import { performJob, type SimulationJob } from './job.ts';

parentPort?.on('message', (job: SimulationJob) => {
  // The time of a job does not include that of loading this file.
  parentPort?.postMessage('started');
  const result = performJob(job);
  if (result === null) parentPort?.postMessage(null);
  else parentPort?.postMessage(result, [result.buffer]);
});
