import { type CallLatency, callLatency } from '../latency.ts';
import type { Turn, TurnLatency } from '../ports.ts';
import type { EndReason } from '../turn/events.ts';
import type { TakenRoute } from './simulated-call.ts';
import { type Failure, type RunResult, runSimulation, type Simulation } from './simulation.ts';

export interface SimulationReport extends Ended {
  readonly runs: number;
  readonly passed: number;
  /** At most twenty, each with the seed that reproduces it. */
  readonly failures: readonly (Failure & { readonly seed: number; readonly transcript: readonly Turn[] } & Ended)[];
  /** The latency of the agent's turns in all runs. */
  readonly latency: CallLatency | null;
  /** The transcript of the first run. */
  readonly transcript: readonly Turn[];
  /** The routes of the flow that the first run took, in order. A very long run ends early. */
  readonly path: readonly TakenRoute[];
  /** How often all runs took each route. */
  readonly routes: readonly CountedRoute[];
}

interface CountedRoute {
  readonly skillId: string;
  readonly route: string;
  readonly count: number;
}

/** Why a call ended; null if the script was over first. */
export interface Ended {
  readonly endReason: EndReason | null;
}

const maxFailures = 20;
export const maxPath = 2000;

/** Run i uses seed + i. Null if `isOver` says that time is up before the last run. */
export function runSimulations(
  simulation: Simulation,
  { runs, seed, isOver = () => false }: { runs: number; seed: number; isOver?: () => boolean },
): SimulationReport | null {
  let isLate = false;
  const results = function* (): Generator<RunResult> {
    for (let run = 0; run < runs && !isLate; run += 1) {
      if (run > 0 && isOver()) isLate = true;
      else yield runSimulation(simulation, (seed + run) >>> 0);
    }
  };
  const report = reportOf(results());
  return isLate ? null : report;
}

/** The report of at least one run. What a run said is not kept, unless it is shown: there may be a thousand of them. */
export function reportOf(results: Iterable<RunResult>): SimulationReport {
  const failures: SimulationReport['failures'][number][] = [];
  const latencies: { role: string; latency: TurnLatency | null }[] = [];
  let runs = 0;
  let passed = 0;
  let first: RunResult | undefined;
  const routes = new Map<string, CountedRoute>();
  for (const result of results) {
    runs += 1;
    first ??= result;
    for (const { skillId, route } of result.path) {
      const name = `${skillId} ${route}`;
      routes.set(name, { skillId, route, count: (routes.get(name)?.count ?? 0) + 1 });
    }
    for (const { role, latency } of result.turns) if (role === 'agent') latencies.push({ role, latency });
    if (result.failure === null) passed += 1;
    else if (failures.length < maxFailures) {
      const { failure, seed, endReason, turns } = result;
      failures.push({ ...failure, seed, endReason, transcript: turns });
    }
  }
  const { endReason, turns: transcript, path } = first as RunResult;
  return {
    runs,
    passed,
    failures,
    latency: callLatency(latencies),
    endReason,
    transcript,
    path: path.slice(0, maxPath),
    routes: [...routes.values()],
  };
}
