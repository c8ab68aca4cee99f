import { isRecord, textOf } from '../parts/json-value.ts';
import { end, routesOf, type Step, type StepType, stepTypes, type Trigger } from './definition.ts';
import type { WorkflowTexts } from './texts.ts';

const signs: Readonly<Record<string, string>> = { eq: '=', ne: '≠', gt: '>', gte: '≥', lt: '<', lte: '≤' };

export function opText(op: string, texts: WorkflowTexts): string {
  if (op === 'contains' || op === 'startsWith' || op === 'in' || op === 'exists') return texts[`op_${op}`];
  return signs[op] ?? op;
}

/** An unknown type is shown by its name. */
export function typeText(type: string, texts: WorkflowTexts): string {
  return (stepTypes as readonly string[]).includes(type) ? texts[type as StepType] : type;
}

/** A filter in words, such as `metadata.paid = true and durationMs > 3000`. Empty: there is none. */
export function filterText(filter: unknown, texts: WorkflowTexts, isInner = false): string {
  if (!isRecord(filter)) return '';
  const { all, any, not, field, op, value } = filter;
  const several = (conditions: readonly unknown[], word: string) => {
    const joined = conditions.map((each) => filterText(each, texts, true)).join(word);
    return isInner && conditions.length > 1 ? `(${joined})` : joined;
  };
  if (Array.isArray(all)) return several(all, texts.and);
  if (Array.isArray(any)) return several(any, texts.or);
  if (not !== undefined) return texts.not(filterText(not, texts));
  if (typeof field !== 'string') return '…';
  if (op === 'exists') return value === false ? texts.absent(field) : texts.exists(field);
  const shown = Array.isArray(value) ? value.map(plain).join(texts.listComma) : plain(value);
  return `${field} ${opText(textOf(op), texts)} ${shown}`;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What starts a run. The agents are given by their names. */
export function triggerText(trigger: Trigger, agents: readonly string[], texts: WorkflowTexts): string {
  const event = trigger.event === 'call_ended' ? texts.call_ended : texts.call_analyzed;
  const filter = filterText(trigger.filter, texts);
  return [
    event,
    ...(agents.length === 0 ? [] : [texts.ofAgents(agents.join(texts.listComma))]),
    ...(filter === '' ? [] : [texts.ifFilter(filter)]),
  ].join(texts.partsJoin);
}

/** What a step does, in a line or two. */
export function stepText(step: Step, texts: WorkflowTexts): string {
  switch (step.type) {
    case 'http_request':
      return `${textOf(step.method) || 'POST'} ${textOf(step.url).replace(/^https:\/\//, '')}`;
    case 'wait':
      return waitText(step, texts);
    case 'condition':
      return routesOf(step)
        .map(({ if: filter }) => filterText(filter, texts))
        .join(' / ');
    case 'update_call':
      return [
        ...Object.entries(isRecord(step.metadata) ? step.metadata : {}).map(
          ([name, value]) => `${name} = ${plain(value)}`,
        ),
        ...(typeof step.externalId === 'string' ? [`externalId = ${step.externalId}`] : []),
      ].join(texts.listComma);
    case 'create_call':
      return texts.calls(isRecord(step.call) ? textOf(step.call.to) : '');
    default:
      return '';
  }
}

const units = [
  { seconds: 86_400, name: 'forDays' },
  { seconds: 3600, name: 'forHours' },
  { seconds: 60, name: 'forMinutes' },
] as const;

export function waitText(step: Step, texts: WorkflowTexts): string {
  if (typeof step.at === 'string') return texts.atTime(step.at, textOf(step.timeZone) || 'UTC');
  if (typeof step.until === 'string') return texts.untilTime(step.until);
  if (typeof step.seconds !== 'number') return '';
  const seconds = step.seconds;
  const unit = units.find((each) => seconds >= each.seconds && seconds % each.seconds === 0);
  return unit === undefined ? texts.forSeconds(String(seconds)) : texts[unit.name](String(seconds / unit.seconds));
}

/** When a way is taken. */
export function wayText(step: Step, path: string, texts: WorkflowTexts): string {
  if (path === 'next') return texts.next;
  if (path === 'otherwise') return step.type === 'condition' ? texts.otherwise : texts.ifItFails;
  const index = Number(path.split('.')[1]);
  return filterText(routesOf(step)[index]?.if, texts) || texts.route(String(index + 1));
}

/** With where it leads to, if that is not drawn. */
export function wayWithTarget(step: Step, path: string, to: string, texts: WorkflowTexts): string {
  const way = wayText(step, path, texts);
  return to === end ? texts.leadsTo(way, texts.toEnd) : way;
}
