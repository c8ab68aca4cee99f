import { isRecord, textOf } from '../parts/json-value.ts';
import { routesOf, type Skill } from './flow.ts';
import type { FlowTexts } from './texts.ts';

/** What a skill does, in a line or two. */
export function previewOf(skill: Skill): string {
  if (skill.type === 'prompt') return textOf(skill.prompt);
  if (skill.type === 'tool') return textOf(skill.tool);
  if (skill.type === 'transfer') return textOf(skill.transfer);
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
  if (path === 'otherwise' && skill.type === 'answer') return texts.notFound;
  if (path === 'otherwise') return ['tool', 'transfer'].includes(skill.type) ? texts.failed : texts.otherwise;
  const index = Number(path.split('.')[1]);
  return routeLabel(routesOf(skill)[index] ?? {}, texts) || texts.route(index + 1);
}

function routeLabel(route: Record<string, unknown>, texts: FlowTexts): string {
  const { when, if: condition, name } = route;
  if (Array.isArray(when)) return when.join(', ');
  if (typeof name === 'string') return name;
  return conditionLabel(condition, texts);
}

function conditionLabel(condition: unknown, texts: FlowTexts): string {
  if (!isRecord(condition)) return '';
  const { field, op, value, all, any, not } = condition;
  const several = (conditions: readonly unknown[]) => conditions.map((each) => conditionLabel(each, texts));
  if (Array.isArray(all)) return several(all).join(texts.and);
  if (Array.isArray(any)) return several(any).join(texts.or);
  if (isRecord(not)) return texts.not(conditionLabel(not, texts));
  if (typeof field !== 'string') return '…';
  const known = field.replace(/^collectedVariables\./, '');
  if (op === 'exists') return value === false ? texts.isUnknown(known) : texts.isKnown(known);
  const shown = typeof value === 'boolean' ? texts[`value_${value}`] : JSON.stringify(value);
  return `${known} ${opLabel(textOf(op), texts)} ${shown}`;
}

const signs: Readonly<Record<string, string>> = { eq: '=', ne: '≠', gt: '>', gte: '≥', lt: '<', lte: '≤' };

/** A draft may have an operator that does not exist. */
export function opLabel(op: string, texts: FlowTexts): string {
  if (op === 'contains' || op === 'startsWith' || op === 'exists') return texts[`op_${op}`];
  return signs[op] ?? op;
}
