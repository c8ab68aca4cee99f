import { CommandError, exitCodes } from '../../failures.ts';
import type { Outcome, PlannedItem } from './planned-item.ts';

interface Steps<Item> {
  /** For an item that is already as its file says. */
  readonly remember: (item: Item) => void;
  readonly apply: (item: Item) => Promise<void>;
  /** Writes the state to disk. */
  readonly save: () => Promise<void>;
  readonly isStopped: () => boolean;
}

/** One after the other. A failure does not stop the rest. */
export async function applyItems<Item extends PlannedItem>(
  items: readonly Item[],
  { remember, apply, save, isStopped }: Steps<Item>,
): Promise<Outcome<Item>[]> {
  const outcomes: Outcome<Item>[] = [];
  for (const item of items) {
    if (item.action === 'none') remember(item);
    else if (item.obstacle !== null) outcomes.push({ item, failure: 'obstacle' });
    else if (isStopped()) outcomes.push({ item, failure: 'not started' });
    else {
      try {
        await apply(item);
        outcomes.push({ item, failure: null });
      } catch (error) {
        outcomes.push({ item, failure: { error } });
      }
      await save();
    }
  }
  await save();
  return outcomes;
}

export function changedSincePlan(): CommandError {
  return new CommandError('changed on the server since the plan was made: run the command again', exitCodes.conflict);
}
