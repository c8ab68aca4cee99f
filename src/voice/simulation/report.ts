import { type CallLatency, callLatency } from '../latency.ts';
import type { Turn, TurnLatency } from '../ports.ts';
import { type Failure, runSimulation, type Simulation } from './simulation.ts';

export interface SimulationReport {
  readonly runs: number;
  readonly passed: number;
  /** At most twenty, each with the seed that reproduces it. */
  readonly failures: readonly (Failure & { readonly seed: number; readonly transcript: readonly Turn[] })[];
  /** Of the agent's turns in all runs. */
  readonly latency: CallLatency | null;
  /** Of the first run. */
  readonly transcript: readonly Turn[];
}

const maxFailures = 20;

/** Run i uses seed + i. Null if `isOver` says that time is up before the last run. */
export function runSimulations(
  simulation: Simulation,
  { runs, seed, isOver = () => false }: { runs: number; seed: number; isOver?: () => boolean },
): SimulationReport | null {
  const failures: SimulationReport['failures'][number][] = [];
  const latencies: { role: string; latency: TurnLatency | null }[] = [];
  let passed = 0;
  let transcript: readonly Turn[] = [];
  for (let run = 0; run < runs; run += 1) {
    if (run > 0 && isOver()) return null;
    const result = runSimulation(simulation, (seed + run) >>> 0);
    if (run === 0) transcript = result.turns;
    for (const { role, latency } of result.turns) if (role === 'agent') latencies.push({ role, latency });
    if (result.failure === null) passed += 1;
    else if (failures.length < maxFailures) {
      failures.push({ ...result.failure, seed: result.seed, transcript: result.turns });
    }
  }
  return { runs, passed, failures, latency: callLatency(latencies), transcript };
}
