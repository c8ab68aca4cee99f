import { placesIn } from '../edits.ts';
import { type Flow, waysOf } from '../flow.ts';
import type { LayoutRequest } from './geometry.ts';

/** The ids decide where a route leads, as in a call. */
export function layoutRequestOf(flow: Flow, start: number): LayoutRequest {
  const positions = new Map(flow.skills.map(({ id }, position) => [id, position]));
  const nodes = flow.skills.map((skill) => ({
    ways: waysOf(skill).map(({ path, to }) => ({ path, to: positions.get(to) ?? null })),
  }));
  return { nodes, start, places: placesIn(flow) };
}
