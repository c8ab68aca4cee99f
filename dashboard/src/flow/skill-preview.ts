import { isRecord, routesOf, type Skill, textOf } from './flow.ts';
import type { FlowTexts } from './texts.ts';

/** What a skill does, in a line or two. */
export function previewOf(skill: Skill): string {
  if (skill.type === 'prompt') return textOf(skill.prompt);
  if (skill.type === 'tool') return textOf(skill.tool);
  if (skill.type === 'set' && isRecord(skill.variables)) {
    return Object.entries(skill.variables)
      .map(([name, value]) => `${name} = ${String(value)}`)
      .join(', ');
  }
  return textOf(skill.text);
}

/** When a way is taken. */
export function wayLabel(skill: Skill, path: string, texts: FlowTexts): string {
  if (path === 'next') return skill.type === 'prompt' ? texts.afterTurns : texts.next;
  if (path === 'otherwise') return skill.type === 'tool' ? texts.failed : texts.otherwise;
  const index = Number(path.split('.')[1]);
  return routeLabel(routesOf(skill)[index] ?? {}) || texts.route(index + 1);
}

function routeLabel(route: Record<string, unknown>): string {
  const { when, if: condition, name } = route;
  if (Array.isArray(when)) return when.join(', ');
  if (typeof name === 'string') return name;
  if (!isRecord(condition)) return '';
  const { field, op, value } = condition;
  if (typeof field !== 'string') return '…';
  return `${field.replace(/^collectedVariables\./, '')} ${String(op)} ${JSON.stringify(value)}`;
}
