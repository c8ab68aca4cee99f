import { join } from 'node:path';
import { type Format, paint } from '../../context.ts';
import { describeFailure, exitCodeFor, exitCodes } from '../../failures.ts';
import { visible } from '../../terminal/text.ts';
import { describeChange } from '../field-lines.ts';
import type { ItemAction, Outcome, PlannedItem } from './planned-item.ts';

/** How a kind of resource is called in reports. */
export interface ItemWords<Item> {
  /** Such as `Numbers`, and `number`. */
  readonly things: string;
  readonly thing: string;
  /** What happens to a file without a counterpart. */
  readonly create: 'import' | 'create';
  readonly nameOf: (item: Item) => string;
}

const signs: Readonly<Record<ItemAction, readonly [sign: string, format: Format, past: string]>> = {
  import: ['+', 'green', 'imported'],
  create: ['+', 'green', 'created'],
  update: ['~', 'yellow', 'updated'],
  delete: ['-', 'red', 'deleted'],
  none: [' ', 'dim', 'unchanged'],
};

/** Empty if there are no files, and were none. `others`: a line for each resource without a file. */
export function describeItems<Item extends PlannedItem>(
  items: readonly Item[],
  others: readonly string[],
  words: ItemWords<Item>,
  folder: string,
  stream: NodeJS.WriteStream,
): string {
  if (items.length === 0) return '';
  const { things, create } = words;
  const listed = items.filter(({ action, file }) => action !== 'none' || file === null);
  const parts = listed.map((item) => `${describeItem(item, words, folder, stream)}\n`);
  const count = (action: ItemAction) => items.filter((item) => item.action === action).length;
  const totals = `${things}: ${count(create)} to ${create}, ${count('update')} to update, ${count('delete')} to delete, ${count('none')} unchanged\n`;
  const lines = others.map((line) => `  ${line}\n`).join('');
  const onlyOnServer = lines === '' ? '' : `\n${things} only on the server ("pull" creates files for them):\n${lines}`;
  return `\n${parts.join('\n')}${listed.length === 0 ? '' : '\n'}${totals}${onlyOnServer}`;
}

function describeItem<Item extends PlannedItem>(
  item: Item,
  { thing, nameOf }: ItemWords<Item>,
  folder: string,
  stream: NodeJS.WriteStream,
): string {
  const { action, file, changes, obstacle } = item;
  const [sign, format] = signs[action];
  const head = paint(format, `${sign} ${action === 'none' ? 'leave' : action}`, stream);
  const place = file === null ? '' : `  ${paint('dim', visible(join(folder, file.file)), stream)}`;
  const lines = [
    ...changes.flatMap((change) => describeChange(change, stream)),
    ...(action === 'none'
      ? [paint('yellow', `! the file is missing: use apply --delete to delete the ${thing}`, stream)]
      : []),
    ...(obstacle === null ? [] : [paint('red', `! skipped: ${visible(obstacle)}`, stream)]),
  ];
  return [`${head}  ${visible(nameOf(item))}${place}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

export function itemToJson({ file, action, changes, obstacle }: PlannedItem): object {
  return {
    file: file?.file ?? null,
    action,
    changes: changes.map(({ path, from, to }) => ({ path, from, to })),
    obstacle,
  };
}

export function describeItemOutcomes<Item extends PlannedItem>(
  outcomes: readonly Outcome<Item>[],
  { things, nameOf }: ItemWords<Item>,
  stream: NodeJS.WriteStream,
): string {
  const done = Map.groupBy(
    outcomes.filter(({ failure }) => failure === null),
    ({ item }) => item.action,
  );
  const counts = [...done].map(([action, items]) => `${items.length} ${signs[action][2]}`);
  const failed = outcomes.filter(({ failure }) => failure !== null);
  const lines = failed.map((outcome) => `  ${visible(`${nameOf(outcome.item)}: ${reasonOf(outcome) ?? ''}`)}\n`);
  const head = counts.length === 0 ? '' : `${things}: ${counts.join(', ')}.\n`;
  if (failed.length === 0) return head;
  return `${head}${paint('red', `${things} that failed: ${failed.length}`, stream)}\n${lines.join('')}`;
}

export function outcomeToJson(outcome: Outcome<PlannedItem>): object {
  const { item, failure } = outcome;
  return { file: item.file?.file ?? null, action: item.action, isDone: failure === null, reason: reasonOf(outcome) };
}

function reasonOf({ item, failure }: Outcome<PlannedItem>): string | null {
  if (failure === null) return null;
  if (failure === 'obstacle') return item.obstacle;
  if (failure === 'not started') return 'not started';
  return describeFailure(failure.error)
    .replace(/^voice-agents: /, '')
    .trim();
}

export function itemExitCodes(outcomes: readonly Outcome<PlannedItem>[]): number[] {
  return outcomes.flatMap(({ item, failure }) => {
    if (failure === null) return [];
    if (failure === 'obstacle') return [item.isConflict ? exitCodes.conflict : exitCodes.failed];
    return [failure === 'not started' ? exitCodes.failed : exitCodeFor(failure.error)];
  });
}
