import { visible } from '../../terminal/text.ts';
import type { Outcome } from '../beside/planned-item.ts';
import { describeItems, type ItemWords, itemToJson, outcomeToJson } from '../beside/report.ts';
import type { BasePlan, PlannedBase } from './plan.ts';

export const baseWords: ItemWords<PlannedBase> = {
  things: 'Knowledge bases',
  thing: 'knowledge base',
  create: 'create',
  nameOf: ({ name }) => name,
};

export function describeBasePlan({ items, unmanaged }: BasePlan, folder: string, stream: NodeJS.WriteStream): string {
  const others = unmanaged.map(({ id, name }) => `${id}  ${visible(name)}`);
  return describeItems(items, others, baseWords, folder, stream);
}

export function basePlanToJson({ items, unmanaged }: BasePlan): object {
  return {
    knowledgeBases: items.map((item) => ({ name: item.name, id: item.seen?.id ?? null, ...itemToJson(item) })),
    knowledgeBasesOnlyOnServer: unmanaged.map(({ id, name }) => ({ id, name })),
  };
}

export function baseOutcomesToJson(outcomes: readonly Outcome<PlannedBase>[]): object[] {
  return outcomes.map((outcome) => ({ name: outcome.item.name, ...outcomeToJson(outcome) }));
}
