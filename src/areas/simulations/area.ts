import { simulationsContract } from '../../contract/simulations.ts';
import { type Area, defineArea } from '../area.ts';
import { type AgentReader, simulationRoutes } from './routes.ts';
import { defaultSimulationLimits, type SimulationLimits, ThreadPool } from './thread-pool.ts';

/** Conversations of agents with a scripted caller. Nothing is stored. */
export function createSimulations(agents: AgentReader, limits: Partial<SimulationLimits> = {}): { area: Area } {
  const threads = new ThreadPool({ ...defaultSimulationLimits, ...limits });
  const area = defineArea(simulationsContract, {
    handlers: simulationRoutes(agents, threads),
    onClose: () => threads.close(),
  });
  return { area };
}
