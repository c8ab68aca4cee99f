import type { Exploration, SimulationReport } from '../../../../sdk/src/index.ts';
import type { Flow } from '../flow.ts';
import { coverageOfExploration } from './exploration.ts';
import type { Coverage, Frame, Walk } from './walk.ts';

/** What stays while the panel shows something else. */
export interface Simulation {
  readonly mode: 'script' | 'explore';
  readonly text: string;
  readonly runs: number;
  readonly report: SimulationReport | null;
  readonly frames: readonly Frame[];
  readonly place: number;
  /** The routes that all scripts so far have taken. */
  readonly coverage: Coverage | null;
  /** What an exploration found, and the flow in which it did. */
  readonly explored: { readonly report: Exploration; readonly flow: Flow } | null;
}

/** What arrives later is added to what is there by then. */
export type ChangeSimulation = (next: Simulation | ((now: Simulation) => Simulation)) => void;

export const newSimulation: Simulation = {
  mode: 'script',
  text: '',
  runs: 1,
  report: null,
  frames: [],
  place: 0,
  coverage: null,
  explored: null,
};

/** What the canvas shows of it. */
export function walkOf({ mode, frames, place, coverage, explored }: Simulation): Walk {
  if (mode === 'explore') {
    return { skillId: null, route: null, coverage: explored && coverageOfExploration(explored.report) };
  }
  const frame = frames[place];
  return { skillId: frame?.skillId ?? null, route: frame?.route ?? null, coverage };
}
