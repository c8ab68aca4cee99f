import type { Call } from '../../../contract/calls/call.ts';
import { callFields } from '../../../contract/calls/fields.ts';
import type { Filter } from '../../../contract/filter.ts';
import type { Trigger } from '../../../contract/workflows/definition.ts';
import { conditionFields } from '../../../contract/workflows/fields.ts';
import { callValue } from '../../../core/call-columns.ts';
import { compileFilter, type ExplainedLeaf, explainFilter } from '../../../core/filter.ts';
import { fold } from '../../../core/folding.ts';
import type { TemplateContext } from '../templates/context.ts';
import { valueAt } from '../templates/values.ts';

const isTimeOfCall = (field: string): boolean => callFields(field)?.type === 'time';

/**
 * Whether a call as it is stored starts a run of a workflow with this trigger, without the event. The same calls as
 * calls.search finds. One for all workflows, so that the texts of the call are folded once.
 */
export function triggerMatcher(call: Call): (trigger: Trigger) => boolean {
  const foldOnce = rememberedFold();
  const read = (field: string): unknown => callValue(call, field);
  return ({ agentIds, includeDrafts, filter }) =>
    (includeDrafts || !call.isDraft) &&
    (agentIds.length === 0 || agentIds.includes(call.agentId ?? '')) &&
    (filter === null || compileFilter(filter, foldOnce, isTimeOfCall)(read));
}

export interface ExplainedTrigger {
  readonly matched: boolean;
  /** The conditions of the trigger that can keep a call from starting a run, then those of the filter. */
  readonly conditions: readonly ExplainedLeaf[];
}

/** Why a call that is over starts a run, or why it does not. */
export function explainTrigger(trigger: Trigger, call: Call): ExplainedTrigger {
  const { event, agentIds, includeDrafts, filter } = trigger;
  const read = (field: string): unknown => callValue(call, field);
  const own: [path: string, leaf: Filter][] = [];
  if (event === 'call_analyzed') own.push(['event', { field: 'analysis.status', op: 'in', value: analyzed }]);
  if (agentIds.length > 0) own.push(['agentIds', { field: 'agentId', op: 'in', value: agentIds }]);
  if (!includeDrafts) own.push(['includeDrafts', { field: 'isDraft', op: 'eq', value: false }]);
  const parts = own.map(([path, leaf]) => explainFilter(leaf, read, { path: [path] }));
  if (filter !== null) parts.push(explainFilter(filter, read, { fold: rememberedFold(), isTime: isTimeOfCall }));
  return { matched: parts.every(({ matched }) => matched), conditions: parts.flatMap(({ leaves }) => leaves) };
}

/** The statuses of an analysis that has been written, with its event. */
const analyzed = ['completed', 'failed', 'skipped'];

/** Whether conditions match. One for all conditions of a step, so that what a server returned is folded once. */
export function conditionMatcher(context: TemplateContext): (filter: Filter) => boolean {
  const foldOnce = rememberedFold();
  const read = (field: string): unknown =>
    field.startsWith('steps.') ? valueAt(field, context) : callValue(context.call, field);
  return (filter) => compileFilter(filter, foldOnce, isTimeOfCondition)(read);
}

const isTimeOfCondition = (field: string): boolean => conditionFields(field)?.type === 'time';

/** Folding a long text takes milliseconds, and thousands of conditions can compare the same one. */
function rememberedFold(): (text: string) => string {
  const folded = new Map<string, string>();
  return (text) => {
    const known = folded.get(text) ?? fold(text);
    folded.set(text, known);
    return known;
  };
}
