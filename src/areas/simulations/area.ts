import { simulationsContract } from '../../contract/simulations/index.ts';
import { Child, type ChildProgram } from '../../workers/children/child.ts';
import { Pool, type PoolLimits } from '../../workers/pool.ts';
import { programFile } from '../../workers/program-file.ts';
import { type Area, defineArea } from '../area.ts';
import type { ExplorationJob } from './exploration.ts';
import type { SimulationJob } from './job.ts';
import { type AgentReader, simulationRoutes } from './routes.ts';

/** All runs of a simulation may take `maxMs` together. One workspace never occupies every child. */
const defaultLimits: PoolLimits = {
  runners: 2,
  runnersPerWorkspace: 1,
  waiting: 8,
  maxWaitMs: 5000,
  maxMs: 5000,
  idleMs: 60_000,
};

const program: ChildProgram = {
  file: programFile('./worker', import.meta.url),
  name: 'simulations',
  // A conversation takes a few megabytes. The process itself takes about 100.
  maxHeapMb: 256,
  maxResidentMb: 512,
  // Twice what the transcripts of a report may have.
  maxResultBytes: 16 * 1024 * 1024,
};

/** Conversations of agents with a scripted caller, and explorations of flows. Nothing is stored. */
export function createSimulations(agents: AgentReader, limits: Partial<PoolLimits> = {}): { area: Area } {
  const children = new Pool<SimulationJob | ExplorationJob, Uint8Array>(
    program.name,
    (onExit) => new Child(program, onExit),
    {
      ...defaultLimits,
      ...limits,
    },
  );
  const area = defineArea(simulationsContract, {
    handlers: simulationRoutes(agents, children),
    onClose: () => children.close(),
  });
  return { area };
}
