import { diffArrays } from 'diff';

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** The time grows with the square of this. Above it, all old lines are shown as removed and all new ones as added. */
const maxEdits = 1000;

/**
 * The lines of both texts in order, with common lines once. Also used by the dashboard, so it must not import Node
 * modules.
 */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, young] = [before.split('\n'), after.split('\n')];
  const start = commonLength(old, young, (lines, index) => lines[index]);
  const [oldRest, youngRest] = [old.slice(start), young.slice(start)];
  const end = commonLength(oldRest, youngRest, (lines, index) => lines[lines.length - 1 - index]);
  return [
    ...asLines('same', old.slice(0, start)),
    ...diffMiddle(oldRest.slice(0, oldRest.length - end), youngRest.slice(0, youngRest.length - end)),
    ...asLines('same', old.slice(old.length - end)),
  ];
}

/** The number of equal lines at the start. Skipping them keeps long texts with many added lines within the limit. */
function commonLength(
  old: readonly string[],
  young: readonly string[],
  lineAt: (lines: readonly string[], index: number) => string | undefined,
): number {
  const max = Math.min(old.length, young.length);
  let length = 0;
  while (length < max && lineAt(old, length) === lineAt(young, length)) length += 1;
  return length;
}

function diffMiddle(old: string[], young: string[]): DiffLine[] {
  const changes = old.length > 0 && young.length > 0 ? diffArrays(old, young, { maxEditLength: maxEdits }) : undefined;
  if (changes === undefined) return [...asLines('removed', old), ...asLines('added', young)];
  return changes.flatMap(({ removed, added, value }) => asLines(removed ? 'removed' : added ? 'added' : 'same', value));
}

function asLines(kind: DiffLine['kind'], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ kind, text }));
}
