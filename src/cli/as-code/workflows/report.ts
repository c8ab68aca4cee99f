import { visible } from '../../terminal/text.ts';
import type { Outcome } from '../beside/planned-item.ts';
import { describeItems, type ItemWords, itemToJson, outcomeToJson } from '../beside/report.ts';
import type { PlannedWorkflow, WorkflowPlan } from './plan.ts';

export const workflowWords: ItemWords<PlannedWorkflow> = {
  things: 'Workflows',
  thing: 'workflow',
  create: 'create',
  nameOf: ({ name }) => name,
};

export function describeWorkflowPlan(
  { items, unmanaged }: WorkflowPlan,
  folder: string,
  stream: NodeJS.WriteStream,
): string {
  const others = unmanaged.map(({ id, name }) => `${id}  ${visible(name)}`);
  return describeItems(items, others, workflowWords, folder, stream);
}

export function workflowPlanToJson({ items, unmanaged }: WorkflowPlan): object {
  return {
    workflows: items.map((item) => ({ name: item.name, id: item.seen?.id ?? null, ...itemToJson(item) })),
    workflowsOnlyOnServer: unmanaged.map(({ id, name }) => ({ id, name })),
  };
}

export function workflowOutcomesToJson(outcomes: readonly Outcome<PlannedWorkflow>[]): object[] {
  return outcomes.map((outcome) => ({ name: outcome.item.name, ...outcomeToJson(outcome) }));
}
