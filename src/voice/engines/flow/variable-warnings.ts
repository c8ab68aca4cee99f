import type { Skill } from '../../../contract/agents/settings/flow.ts';
import type { Filter } from '../../../contract/filter.ts';
import { variableNames } from '../../text/variables.ts';
import type { FlowIssue, FlowParts } from './flow-parts.ts';
import { namesInValue } from './values.ts';

interface Use {
  readonly path: readonly (string | number)[];
  readonly name: string;
}

/** Variables that are read, and that no skill and no default of the agent sets. */
export function variableWarnings({ skills }: FlowParts, known: readonly string[]): FlowIssue[] {
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
