import { isRecord, textOf } from '../parts/json-value.ts';

/** The skills of a flow, as they are in `agentSettings.flow`. A draft may be incomplete, so nothing is certain. */
export interface Skill {
  readonly id: string;
  readonly type: string;
  readonly [name: string]: unknown;
}

export interface Flow {
  readonly skills: readonly Skill[];
  readonly [name: string]: unknown;
}

export const skillTypes = [
  'say',
  'ask',
  'choose',
  'branch',
  'set',
  'tool',
  'transfer',
  'answer',
  'prompt',
  'end',
] as const;
export type SkillType = (typeof skillTypes)[number];

/** One way from a skill to the next. */
export interface Way {
  /** Where it is in the skill: `next`, `otherwise` or `routes.2.next`. */
  readonly path: string;
  /** The id of the next skill. Empty: none yet. */
  readonly to: string;
}

/** Null if there is none, or if it is something else than a list of skills. */
export function flowIn(settings: Readonly<Record<string, unknown>>): Flow | null {
  const { flow } = settings;
  if (!isRecord(flow) || !Array.isArray(flow.skills)) return null;
  const isReadable = flow.skills.every(
    (skill) => isRecord(skill) && typeof skill.id === 'string' && typeof skill.type === 'string',
  );
  return isReadable ? (flow as unknown as Flow) : null;
}

export function routesOf(skill: Skill): readonly Record<string, unknown>[] {
  return Array.isArray(skill.routes) ? skill.routes.filter(isRecord) : [];
}

/** Which of `next` and `otherwise` a type has, and whether it has routes. */
const shapes: Readonly<Record<SkillType, { readonly ends: readonly string[]; readonly hasRoutes: boolean }>> = {
  say: { ends: ['next'], hasRoutes: false },
  ask: { ends: ['next', 'otherwise'], hasRoutes: false },
  choose: { ends: ['otherwise'], hasRoutes: true },
  branch: { ends: ['otherwise'], hasRoutes: true },
  set: { ends: ['next'], hasRoutes: false },
  tool: { ends: ['next', 'otherwise'], hasRoutes: false },
  transfer: { ends: ['otherwise'], hasRoutes: false },
  answer: { ends: ['next', 'otherwise'], hasRoutes: false },
  prompt: { ends: ['next'], hasRoutes: true },
  end: { ends: [], hasRoutes: false },
};

export function shapeOf(type: string) {
  return shapes[type as SkillType] ?? { ends: [], hasRoutes: false };
}

/** The routes first, as they are checked first. */
export function waysOf(skill: Skill): readonly Way[] {
  const { ends, hasRoutes } = shapeOf(skill.type);
  const routes = hasRoutes ? routesOf(skill) : [];
  return [
    ...routes.map(({ next }, index) => ({ path: `routes.${index}.next`, to: textOf(next) })),
    ...ends.map((path) => ({ path, to: textOf(skill[path]) })),
  ];
}

/** The skill with another value at a path, such as `routes.2.next`. Undefined removes it. */
export function withValue<Value>(value: Value, path: readonly (string | number)[], changed: unknown): Value {
  const [first, ...rest] = path;
  if (first === undefined) return changed as Value;
  if (Array.isArray(value)) {
    const index = Number(first);
    return value.with(index, withValue(value[index], rest, changed)) as Value;
  }
  const { [first]: before, ...others } = (value ?? {}) as Record<string, unknown>;
  const after = withValue(before, rest, changed);
  if (after === undefined) return others as Value;
  // In place, so that the order of the fields stays.
  return { ...(value as object), [first]: after } as Value;
}

export function withSkill(flow: Flow, position: number, skill: Skill): Flow {
  return { ...flow, skills: flow.skills.with(position, skill) };
}

/** Leads a way of the skill at a position to another skill. */
export function connect(flow: Flow, position: number, path: string, to: string): Flow {
  const skill = flow.skills[position];
  if (skill === undefined) return flow;
  return withSkill(flow, position, withValue(skill, path.split('.'), to === '' ? undefined : to));
}

/** Everything that leads to a skill follows its new id. */
export function rename(flow: Flow, position: number, id: string): Flow {
  const old = flow.skills[position]?.id;
  const isUnique = flow.skills.filter((skill) => skill.id === old).length === 1;
  const redirect = (skill: Skill) =>
    isUnique
      ? waysOf(skill).reduce((each, { path, to }) => (to === old ? withValue(each, path.split('.'), id) : each), skill)
      : skill;
  const skills = flow.skills.map((skill, index) => {
    const led = redirect(skill);
    return index === position ? { ...led, id } : led;
  });
  const { anytime, layout } = flow;
  return {
    ...flow,
    skills,
    ...(Array.isArray(anytime) && {
      anytime: anytime.map((route) =>
        isUnique && isRecord(route) && route.next === old ? { ...route, next: id } : route,
      ),
    }),
    ...(isUnique && old !== undefined && isRecord(layout) && { layout: withKey(layout, old, id) }),
  };
}

/** Where the user has put a step stays its place. */
function withKey(layout: Record<string, unknown>, old: string, id: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(layout).map(([name, place]) => [name === old ? id : name, place]));
}

/** A skill of a type, with what the type requires, so that it can be edited. */
export function newSkill(type: SkillType, taken: ReadonlySet<string>): Skill {
  let number = 1;
  while (taken.has(`${type}_${number}`)) number += 1;
  const id = `${type}_${number}`;
  const required: Readonly<Record<SkillType, object>> = {
    say: { text: '' },
    ask: { text: '', variable: 'answer', as: 'text' },
    choose: { text: '', routes: [{ when: [] }] },
    branch: { routes: [{ if: { field: 'collectedVariables.', op: 'eq', value: '' } }] },
    set: { variables: {} },
    tool: { tool: '', arguments: {} },
    transfer: { transfer: '' },
    answer: {},
    prompt: { prompt: '' },
    end: { text: '' },
  };
  return { id, type, ...required[type] };
}

/** What led to the skill then leads nowhere, which the check reports. */
export function removeSkill(flow: Flow, position: number): Flow {
  const gone = flow.skills[position]?.id;
  const skills = flow.skills.filter((_, index) => index !== position);
  if (gone === undefined || skills.some(({ id }) => id === gone)) return { ...flow, skills };
  const cut = (skill: Skill) =>
    waysOf(skill).reduce(
      (each, { path, to }) => (to === gone ? withValue(each, path.split('.'), undefined) : each),
      skill,
    );
  const { layout } = flow;
  if (!isRecord(layout)) return { ...flow, skills: skills.map(cut) };
  const { [gone]: _, ...places } = layout;
  return { ...flow, skills: skills.map(cut), layout: places };
}

/** The position of the skill that a call starts with. */
export function startOf(flow: Flow, startSkillId: unknown): number {
  const found = flow.skills.findIndex(({ id }) => id === startSkillId);
  return Math.max(found, 0);
}
