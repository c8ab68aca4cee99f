import type { SimulationReport } from '../../../../sdk/src/index.ts';
import { isRecord, textOf } from '../../parts/json-value.ts';
import { type Flow, startOf, waysOf } from '../flow.ts';

/** How often each route was taken, by `routeKey`. */
export type Coverage = ReadonlyMap<string, number>;

/** What a simulation shows on the canvas. */
export interface Walk {
  /** The id of the step where the conversation is. Null: it is not watched. */
  readonly skillId: string | null;
  /** The route that led there. */
  readonly route: string | null;
  /** Null: nothing was simulated. */
  readonly coverage: Coverage | null;
}

/** One moment of a simulated conversation: where it is, and how it came there. */
export interface Frame {
  readonly skillId: string;
  readonly route: string | null;
  readonly atMs: number;
}

/** The key of a route, given as the service names it (`routes.2`) or as its path in the step (`routes.2.next`). */
export function routeKey(skillId: string, route: string): string {
  return `${skillId} ${route.replace(/^(routes\.\d+)\.next$/, '$1')}`;
}

/** The path of a run as it is watched: the first step, and then every step that it came to. */
export function framesOf({ path }: SimulationReport, flow: Flow, startSkillId: unknown): readonly Frame[] {
  const first = flow.skills[startOf(flow, startSkillId)];
  if (first === undefined) return [];
  const frames: Frame[] = [{ skillId: path[0]?.skillId ?? first.id, route: null, atMs: 0 }];
  for (const { skillId, route, atMs } of path) {
    frames.push({ skillId: targetOf(flow, skillId, route), route: routeKey(skillId, route), atMs });
  }
  return frames;
}

/** `retry`, and what is repeated at any time, stay at the step. */
function targetOf(flow: Flow, skillId: string, route: string): string {
  const skill = flow.skills.find(({ id }) => id === skillId);
  const [kind, index] = route.split('.');
  if (kind === 'anytime') {
    const anytime = Array.isArray(flow.anytime) ? flow.anytime[Number(index)] : undefined;
    return (isRecord(anytime) && textOf(anytime.next)) || skillId;
  }
  const way = skill && waysOf(skill).find(({ path }) => routeKey(skillId, path) === routeKey(skillId, route));
  return way === undefined || way.to === '' ? skillId : way.to;
}

export function addCoverage(before: Coverage | null, { routes }: SimulationReport): Coverage {
  const sum = new Map(before ?? []);
  for (const { skillId, route, count } of routes) {
    const key = routeKey(skillId, route);
    sum.set(key, (sum.get(key) ?? 0) + count);
  }
  return sum;
}

/** How many of the routes that lead somewhere were taken. */
export function coverageOf(flow: Flow, coverage: Coverage): { readonly taken: number; readonly all: number } {
  const all = flow.skills.flatMap((skill) =>
    waysOf(skill).flatMap(({ path, to }) => (to === '' ? [] : [routeKey(skill.id, path)])),
  );
  return { taken: all.filter((key) => (coverage.get(key) ?? 0) > 0).length, all: all.length };
}
