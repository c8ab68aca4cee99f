export interface Line {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Beyond this, finding the shortest difference takes longer than anybody waits: the middle is then shown as replaced. */
const mostCells = 4_000_000;

/** The lines of both texts, in order: those in common once, the others by where they are. */
export function lineDiff(before: string, after: string): Line[] {
  const [old, young] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, young.length) - start;
  while (end < most && old[old.length - 1 - end] === young[young.length - 1 - end]) end += 1;
  return [
    ...same(old.slice(0, start)),
    ...between(old.slice(start, old.length - end), young.slice(start, young.length - end)),
    ...same(old.slice(old.length - end)),
  ];
}

function same(lines: readonly string[]): Line[] {
  return lines.map((text) => ({ kind: 'same', text }));
}

/** By the longest common subsequence, read from a table of its lengths. */
function between(old: readonly string[], young: readonly string[]): Line[] {
  const removed: Line[] = old.map((text) => ({ kind: 'removed', text }));
  const added: Line[] = young.map((text) => ({ kind: 'added', text }));
  if (old.length === 0 || young.length === 0 || old.length * young.length > mostCells) return [...removed, ...added];
  const width = young.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] as number;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = young.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        old[row] === young[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < young.length) {
    if (old[row] === young[column]) {
      lines.push({ kind: 'same', text: old[row] as string });
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) lines.push(removed[row++] as Line);
    else lines.push(added[column++] as Line);
  }
  return [...lines, ...removed.slice(row), ...added.slice(column)];
}
