import { isRecord } from '../parts/json-value.ts';
import { type Flow, flowIn, newSkill, removeSkill, type Skill, type SkillType, waysOf, withValue } from './flow.ts';
import type { Point } from './layout/geometry.ts';

/** As in the contract: the editor offers no more. */
export const maxSkills = 200;
const maxCoordinate = 50_000;

/** Where the user has put the steps, by position. Null: nowhere yet. */
export function placesIn({ skills, layout }: Flow): readonly (Point | null)[] {
  const places = isRecord(layout) ? layout : {};
  return skills.map(({ id }) => {
    const place = Object.hasOwn(places, id) ? places[id] : undefined;
    if (!isRecord(place) || typeof place.x !== 'number' || typeof place.y !== 'number') return null;
    return { x: place.x, y: place.y };
  });
}

export function hasPlaces(flow: Flow): boolean {
  return placesIn(flow).some((place) => place !== null);
}

/** All places at once: if only some were kept, the others would move around them with every edit. */
export function withPlaces(flow: Flow, places: readonly (Point | null)[]): Flow {
  const kept = flow.skills.flatMap(({ id }, position) => {
    const place = places[position];
    return place == null ? [] : [[id, { x: coordinate(place.x), y: coordinate(place.y) }] as const];
  });
  return { ...flow, layout: Object.fromEntries(kept) };
}

export function withoutPlaces({ layout: _, ...flow }: Flow): Flow {
  return flow as Flow;
}

function coordinate(value: number): number {
  return Math.round(Math.min(Math.max(value, -maxCoordinate), maxCoordinate));
}

/** A new step at the end, without anything that leads to it. */
export function appendSkill(flow: Flow, type: SkillType): { readonly flow: Flow; readonly position: number } {
  const skill = newSkill(type, new Set(flow.skills.map(({ id }) => id)));
  return { flow: { ...flow, skills: [...flow.skills, skill] }, position: flow.skills.length };
}

export function removeSkills(flow: Flow, positions: ReadonlySet<number>): Flow {
  return [...positions].sort((one, other) => other - one).reduce(removeSkill, flow);
}

/** Steps in the clipboard: text, so that they can be pasted into another agent, or anywhere. */
export function copyOf(flow: Flow, positions: ReadonlySet<number>, places: readonly (Point | null)[]): string {
  const chosen = [...positions].sort((one, other) => one - other);
  const skills = chosen.flatMap((position) => flow.skills[position] ?? []);
  const { layout } = withPlaces(
    { skills },
    chosen.map((position) => places[position] ?? null),
  );
  return JSON.stringify({ skills, layout }, null, 2);
}

/** Null if the text is something else. */
export function copiedFrom(text: string): Flow | null {
  try {
    return flowIn({ flow: JSON.parse(text) });
  } catch {
    return null;
  }
}

interface Pasted {
  readonly flow: Flow;
  readonly positions: ReadonlySet<number>;
}

/**
 * Adds copies with ids of their own. Routes between them lead to the copies; other routes stay, if their step exists
 * here. `places` are those on the canvas, which matter only if they are kept. Null: too many steps.
 */
export function paste(flow: Flow, copied: Flow, places: readonly (Point | null)[]): Pasted | null {
  if (flow.skills.length + copied.skills.length > maxSkills) return null;
  const taken = new Set(flow.skills.map(({ id }) => id));
  const names = new Map<string, string>();
  for (const { id } of copied.skills) {
    const name = freeId(id, taken);
    taken.add(name);
    names.set(id, name);
  }
  const here = new Set(flow.skills.map(({ id }) => id));
  const skills = copied.skills.map((skill): Skill => {
    const led = waysOf(skill).reduce((each, { path, to }) => {
      const next = names.get(to) ?? (here.has(to) ? to : undefined);
      return next === to ? each : withValue(each, path.split('.'), next);
    }, skill);
    return { ...led, id: names.get(skill.id) ?? skill.id };
  });
  const first = flow.skills.length;
  const added = { ...flow, skills: [...flow.skills, ...skills] };
  const positions = new Set(skills.map((_, index) => first + index));
  if (!hasPlaces(flow)) return { flow: added, positions };
  const below = Math.max(0, ...places.map((place) => place?.y ?? 0)) + pasteGap;
  const own = placesIn(copied);
  const top = Math.min(...own.map((place) => place?.y ?? 0));
  const moved = own.map((place) => place && { x: place.x, y: place.y - top + below });
  return { flow: withPlaces(added, [...places, ...moved]), positions };
}

const pasteGap = 260;

/** `menu` becomes `menu_2`. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  const [, stem = id, number] = /^(.*?)(?:_(\d+))?$/.exec(id) ?? [];
  for (let next = Number(number ?? 1) + 1; ; next += 1) {
    const suffix = `_${next}`;
    const name = `${stem.slice(0, 64 - suffix.length)}${suffix}`;
    if (!taken.has(name)) return name;
  }
}
