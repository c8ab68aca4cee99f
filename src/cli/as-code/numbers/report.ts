import { join } from 'node:path';
import { paint } from '../../context.ts';
import { describeFailure, exitCodeFor, exitCodes } from '../../failures.ts';
import { visible } from '../../terminal/text.ts';
import { changesBetween } from '../changes.ts';
import { describeChange } from '../field-lines.ts';
import type { NumberOutcome } from './apply.ts';
import { shortNumber } from './number-file.ts';
import type { NumberAction, NumberPlan, PlannedNumber } from './plan.ts';

const signs = {
  import: ['+', 'green', 'imported'],
  update: ['~', 'yellow', 'updated'],
  delete: ['-', 'red', 'deleted'],
  none: [' ', 'dim', 'unchanged'],
} as const satisfies Record<NumberAction, readonly [string, Parameters<typeof paint>[0], string]>;

/** Empty if there are no number files, and were none. */
export function describeNumberPlan(
  { items, unmanaged }: NumberPlan,
  folder: string,
  stream: NodeJS.WriteStream,
): string {
  if (items.length === 0) return '';
  const listed = items.filter(({ action, file }) => action !== 'none' || file === null);
  const parts = listed.map((item) => `${describeItem(item, folder, stream)}\n`);
  const count = (action: NumberAction) => items.filter((item) => item.action === action).length;
  const totals = `Numbers: ${count('import')} to import, ${count('update')} to update, ${count('delete')} to delete, ${count('none')} unchanged\n`;
  const others = unmanaged.map(({ number, name }) => `  ${number}  ${visible(name)}\n`).join('');
  const alone = others === '' ? '' : `\nNumbers only on the server ("pull" creates files for them):\n${others}`;
  return `\n${parts.join('\n')}${listed.length === 0 ? '' : '\n'}${totals}${alone}`;
}

function describeItem(item: PlannedNumber, folder: string, stream: NodeJS.WriteStream): string {
  const { action, number, file, obstacle } = item;
  const [sign, color] = signs[action];
  const head = paint(color, `${sign} ${action === 'none' ? 'leave' : action}`, stream);
  const place = file === null ? '' : `  ${paint('dim', visible(join(folder, file.file)), stream)}`;
  const content = file?.content ?? null;
  const changes = action === 'import' && content !== null ? changesBetween({}, shortNumber(content)) : item.changes;
  const lines = [
    ...changes.flatMap((change) => describeChange(change, stream)),
    ...(action === 'none'
      ? [paint('yellow', '! the file is missing: use apply --delete to delete the number', stream)]
      : []),
    ...(obstacle === null ? [] : [paint('red', `! skipped: ${visible(obstacle)}`, stream)]),
  ];
  return [`${head}  ${number}${place}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

export function numberPlanToJson({ items, unmanaged }: NumberPlan): object {
  return {
    numbers: items.map(({ number, file, action, seen, changes, obstacle }) => ({
      number,
      file: file?.file ?? null,
      id: seen?.id ?? null,
      action,
      changes: changes.map(({ path, from, to }) => ({ path, from, to })),
      obstacle,
    })),
    numbersOnlyOnServer: unmanaged.map(({ id, number, name }) => ({ id, number, name })),
  };
}

export function describeNumberOutcomes(outcomes: readonly NumberOutcome[], stream: NodeJS.WriteStream): string {
  const done = Object.entries(
    Object.groupBy(
      outcomes.filter(({ failure }) => failure === null),
      ({ item }) => item.action,
    ),
  );
  const counts = done.map(([action, items]) => `${items.length} ${signs[action as NumberAction][2]}`);
  const failed = outcomes.filter(({ failure }) => failure !== null);
  const lines = failed.map((outcome) => `  ${outcome.item.number}: ${visible(reasonOf(outcome) ?? '')}\n`);
  const head = counts.length === 0 ? '' : `Numbers: ${counts.join(', ')}.\n`;
  if (failed.length === 0) return head;
  return `${head}${paint('red', `Numbers that failed: ${failed.length}`, stream)}\n${lines.join('')}`;
}

export function numberOutcomesToJson(outcomes: readonly NumberOutcome[]): object[] {
  return outcomes.map((outcome) => ({
    number: outcome.item.number,
    file: outcome.item.file?.file ?? null,
    action: outcome.item.action,
    isDone: outcome.failure === null,
    reason: reasonOf(outcome),
  }));
}

function reasonOf({ item, failure }: NumberOutcome): string | null {
  if (failure === null) return null;
  if (failure === 'obstacle') return item.obstacle;
  if (failure === 'not started') return 'not started';
  return describeFailure(failure.error)
    .replace(/^voice-agents: /, '')
    .trim();
}

export function numberExitCodes(outcomes: readonly NumberOutcome[]): number[] {
  return outcomes.flatMap(({ item, failure }) => {
    if (failure === null) return [];
    if (failure === 'obstacle') return [item.isConflict ? exitCodes.conflict : exitCodes.failed];
    return [failure === 'not started' ? exitCodes.failed : exitCodeFor(failure.error)];
  });
}
