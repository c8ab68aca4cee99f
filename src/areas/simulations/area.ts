import { simulationsContract } from '../../contract/simulations.ts';
import { programFile, type ThreadProgram } from '../../process/threads/thread.ts';
import { type ThreadLimits, ThreadPool } from '../../process/threads/thread-pool.ts';
import { type Area, defineArea } from '../area.ts';
import type { JobResult, SimulationJob } from './job.ts';
import { type AgentReader, simulationRoutes } from './routes.ts';

/** All runs of a simulation may take `maxMs` together. */
const defaultLimits: ThreadLimits = { threads: 2, waiting: 8, maxWaitMs: 5000, maxMs: 5000 };

const program: ThreadProgram = {
  file: programFile('./worker', import.meta.url),
  name: 'simulations',
  // Nothing of the environment, which contains credentials.
  env: {},
  // A conversation takes a few megabytes; a script that makes an agent talk forever must not take the service's memory.
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
};

/** Conversations of agents with a scripted caller. Nothing is stored. */
export function createSimulations(agents: AgentReader, limits: Partial<ThreadLimits> = {}): { area: Area } {
  const threads = new ThreadPool<SimulationJob, JobResult>(program, { ...defaultLimits, ...limits });
  const area = defineArea(simulationsContract, {
    handlers: simulationRoutes(agents, threads),
    onClose: () => threads.close(),
  });
  return { area };
}
