import {
  type AnytimeRoute,
  anytimeRouteSchema,
  flowSchema,
  type Skill,
  skillSchema,
} from '../../../contract/agents/settings/flow.ts';
import type { Filter } from '../../../contract/filter.ts';
import { check, type Issue } from '../../../core/issues.ts';
import { variableNames } from '../../text/variables.ts';
import type { FlowIssue, FlowParts } from './flow-parts.ts';
import { loopsWithoutListening, reachableSkills, waysOf } from './graph.ts';
import { phraseIssues } from './phrase-issues.ts';
import { namesInValue } from './values.ts';

export interface FlowIssuesContext {
  readonly startSkillId?: string | undefined;
  /** The names in `agentSettings.tools`. */
  readonly toolNames: readonly string[];
  /** The names in `agentSettings.phone.transfers`. */
  readonly transferNames?: readonly string[] | undefined;
  /** Whether there is `agentSettings.knowledge`. */
  readonly hasKnowledge?: boolean | undefined;
  /** The names in agentVariables, and the built-in ones. */
  readonly variableNames: readonly string[];
  readonly language: string;
}

/** Everything that is wrong with a flow, at once: a skill that is malformed does not hide the issues of the others. */
export function flowIssues(flow: unknown, context: FlowIssuesContext) {
  const parsed = check(flowSchema, flow);
  const isWellFormed = 'value' in parsed;
  const parts = isWellFormed
    ? partsOf(parsed.value.skills, parsed.value.anytime ?? [])
    : partsOf(valid(skillSchema, listIn(flow, 'skills')), valid(anytimeRouteSchema, listIn(flow, 'anytime')));
  const ids = idsIn(flow);
  const phrases = phraseIssues(parts);
  const errors = [
    ...(isWellFormed ? [] : parsed.issues.flatMap(namedOneByOne)),
    ...duplicateIds(flow),
    ...missingTargets(parts, ids),
    ...missingTools(parts, context.toolNames),
    ...missingTransfers(parts, context.transferNames ?? []),
    ...(context.hasKnowledge === true ? [] : answersWithoutKnowledge(parts)),
    ...phrases.errors,
    // In a flow that is malformed, a way that cannot be read could be the one that leads there.
    ...(isWellFormed ? shapeIssues(parts, context.startSkillId) : []),
  ].map(inAgent);
  const { startSkillId } = context;
  if (startSkillId !== undefined && ids.length > 0 && !ids.includes(startSkillId)) {
    errors.push({ path: ['startSkillId'], message: 'is not the id of a skill' });
  }
  return { errors, warnings: [...phrases.warnings, ...variableWarnings(parts, context.variableNames)].map(inAgent) };
}

function inAgent({ path, message }: FlowIssue): FlowIssue {
  return { path: ['agentSettings', 'flow', ...path], message };
}

function partsOf(skills: readonly (Skill | undefined)[], anytime: readonly (AnytimeRoute | undefined)[]): FlowParts {
  return {
    skills: skills.flatMap((skill, index) => (skill === undefined ? [] : [{ index, skill }])),
    anytime: anytime.flatMap((route, index) => (route === undefined ? [] : [{ index, route }])),
  };
}

function valid<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  values: readonly unknown[],
): (T | undefined)[] {
  return values.map((value) => {
    const result = schema.safeParse(value);
    return result.success ? result.data : undefined;
  });
}

function listIn(flow: unknown, key: 'skills' | 'anytime'): readonly unknown[] {
  const list = typeof flow === 'object' && flow !== null ? (flow as Record<string, unknown>)[key] : undefined;
  return Array.isArray(list) ? list : [];
}

/** Malformed skills are included: what leads to them is not wrong because of that. */
function idsIn(flow: unknown): string[] {
  return listIn(flow, 'skills').flatMap((skill) => {
    const id = typeof skill === 'object' && skill !== null ? (skill as Record<string, unknown>).id : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

function namedOneByOne(issue: Issue): FlowIssue[] {
  const { code, keys } = issue as Issue & { readonly code?: string; readonly keys?: readonly string[] };
  const path = issue.path as readonly (string | number)[];
  if (code !== 'unrecognized_keys' || keys === undefined) return [{ path, message: issue.message }];
  return keys.map((key) => ({ path: [...path, key], message: 'is not a known field' }));
}

function duplicateIds(flow: unknown): FlowIssue[] {
  const first = new Map<string, number>();
  return listIn(flow, 'skills').flatMap((skill, index) => {
    const [id] = idsIn({ skills: [skill] });
    if (id === undefined) return [];
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    return earlier === undefined
      ? []
      : [{ path: ['skills', index, 'id'], message: `is already the id of skills.${earlier}` }];
  });
}

function missingTargets({ skills, anytime }: FlowParts, ids: readonly string[]): FlowIssue[] {
  const known = new Set(ids);
  const message = 'is not the id of a skill';
  const inSkills = skills.flatMap(({ index, skill }) =>
    waysOf(skill).flatMap(({ path, target }) =>
      known.has(target) ? [] : [{ path: ['skills', index, ...path], message }],
    ),
  );
  const inAnytime = anytime.flatMap(({ index, route: { next } }) =>
    next === undefined || known.has(next) ? [] : [{ path: ['anytime', index, 'next'], message }],
  );
  return [...inSkills, ...inAnytime];
}

function missingTools({ skills }: FlowParts, toolNames: readonly string[]): FlowIssue[] {
  return skills.flatMap(({ index, skill }) =>
    skill.type === 'tool' && !toolNames.includes(skill.tool)
      ? [{ path: ['skills', index, 'tool'], message: 'is not the name of a tool in agentSettings.tools' }]
      : [],
  );
}

function missingTransfers({ skills }: FlowParts, transferNames: readonly string[]): FlowIssue[] {
  return skills.flatMap(({ index, skill }) =>
    skill.type === 'transfer' && !transferNames.includes(skill.transfer)
      ? [
          {
            path: ['skills', index, 'transfer'],
            message: 'is not the name of a transfer in agentSettings.phone.transfers',
          },
        ]
      : [],
  );
}

function answersWithoutKnowledge({ skills }: FlowParts): FlowIssue[] {
  return skills.flatMap(({ index, skill }) =>
    skill.type === 'answer'
      ? [{ path: ['skills', index, 'type'], message: 'needs knowledge bases in agentSettings.knowledge' }]
      : [],
  );
}

/** Skills that no conversation reaches, and loops that no conversation leaves. */
function shapeIssues(parts: FlowParts, startSkillId: string | undefined): FlowIssue[] {
  const skills = parts.skills.map(({ skill }) => skill);
  const indexOf = new Map(skills.map(({ id }, index) => [id, index]));
  const start = startSkillId !== undefined && indexOf.has(startSkillId) ? startSkillId : (skills[0] as Skill).id;
  const reachable = reachableSkills(
    skills,
    parts.anytime.map(({ route }) => route),
    start,
  );
  const unreachable = skills.flatMap(({ id }, index) =>
    reachable.has(id) ? [] : [{ path: ['skills', index], message: 'cannot be reached: no route leads to it' }],
  );
  const loops = loopsWithoutListening(skills).map((ids) => {
    const [first, ...others] = ids.map((id) => indexOf.get(id) as number);
    const steps = [first, ...others, first].map((index) => `skills.${index}`).join(' → ');
    return { path: ['skills', first as number], message: `is part of a loop that never listens: ${steps}` };
  });
  return [...unreachable, ...loops];
}

interface Use {
  readonly path: readonly (string | number)[];
  readonly name: string;
}

/** Variables that are read, and that no skill and no default of the agent sets. */
function variableWarnings({ skills }: FlowParts, known: readonly string[]): FlowIssue[] {
  const names = new Set(known);
  for (const { skill } of skills) {
    if (skill.type === 'ask') names.add(skill.variable);
    else if (skill.type === 'set') for (const name of Object.keys(skill.variables)) names.add(name);
  }
  const message =
    'is set by no skill and is not in agentVariables: it must come from the variables of the call or the result of a tool';
  return skills.flatMap(({ index, skill }) =>
    usesIn(skill).flatMap(({ path, name }) =>
      names.has(name) ? [] : [{ path: ['skills', index, ...path], message: `${name} ${message}` }],
    ),
  );
}

function usesIn(skill: Skill): Use[] {
  const inText = (path: readonly string[], text: string | undefined): Use[] =>
    text === undefined ? [] : variableNames(text).map((name) => ({ path, name }));
  switch (skill.type) {
    case 'say':
    case 'transfer':
    case 'answer':
    case 'end':
      return inText(['text'], skill.text);
    case 'ask':
    case 'choose':
      return [...inText(['text'], skill.text), ...inText(['retry', 'text'], skill.retry?.text)];
    case 'prompt':
      return inText(['prompt'], skill.prompt);
    case 'set':
      return namesInValue(skill.variables).map((name) => ({ path: ['variables'], name }));
    case 'tool':
      return [
        ...namesInValue(skill.arguments).map((name) => ({ path: ['arguments'], name })),
        ...inText(['say'], skill.say),
      ];
    case 'branch':
      return skill.routes.flatMap((route, index) => usesInFilter(route.if, ['routes', index, 'if']));
  }
}

function usesInFilter(filter: Filter, path: readonly (string | number)[]): Use[] {
  if ('all' in filter) return filter.all.flatMap((part, index) => usesInFilter(part, [...path, 'all', index]));
  if ('any' in filter) return filter.any.flatMap((part, index) => usesInFilter(part, [...path, 'any', index]));
  if ('not' in filter) return usesInFilter(filter.not, [...path, 'not']);
  const name = /^collectedVariables\.(.+)$/s.exec(filter.field)?.[1];
  return name === undefined ? [] : [{ path: [...path, 'field'], name }];
}
