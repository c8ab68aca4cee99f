import { visible } from '../../terminal/text.ts';
import type { Outcome } from '../beside/planned-item.ts';
import { describeItems, type ItemWords, itemToJson, outcomeToJson } from '../beside/report.ts';
import { changesBetween } from '../changes.ts';
import { shortNumber } from './number-file.ts';
import type { NumberPlan, PlannedNumber } from './plan.ts';

export const numberWords: ItemWords<PlannedNumber> = {
  things: 'Numbers',
  thing: 'number',
  create: 'import',
  nameOf: ({ number }) => number,
};

export function describeNumberPlan(
  { items, unmanaged }: NumberPlan,
  folder: string,
  stream: NodeJS.WriteStream,
): string {
  const shown = items.map((item) => {
    const content = item.file?.content ?? null;
    const isNew = item.action === 'import' && content !== null;
    return isNew ? { ...item, changes: changesBetween({}, shortNumber(content)) } : item;
  });
  const others = unmanaged.map(({ number, name }) => `${number}  ${visible(name)}`);
  return describeItems(shown, others, numberWords, folder, stream);
}

export function numberPlanToJson({ items, unmanaged }: NumberPlan): object {
  return {
    numbers: items.map((item) => ({ number: item.number, id: item.seen?.id ?? null, ...itemToJson(item) })),
    numbersOnlyOnServer: unmanaged.map(({ id, number, name }) => ({ id, number, name })),
  };
}

export function numberOutcomesToJson(outcomes: readonly Outcome<PlannedNumber>[]): object[] {
  return outcomes.map((outcome) => ({ number: outcome.item.number, ...outcomeToJson(outcome) }));
}
