export interface DiffLine {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

/** Beyond this, lines are not paired any more: all old ones go, all new ones come. */
const mostComparisons = 1_000_000;
const linesAround = 1;

/** The lines that differ, each with a line around it. */
export function diffLines(from: string, to: string): DiffLine[] {
  const [before, after] = [from.split('\n'), to.split('\n')];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1;
  }
  const inner = pairLines(before.slice(start, before.length - end), after.slice(start, after.length - end));
  const same = (text: string): DiffLine => ({ sign: ' ', text });
  return [
    ...before.slice(Math.max(0, start - linesAround), start).map(same),
    ...inner.filter((line, index) => line.sign !== ' ' || isNearChange(inner, index)),
    ...before.slice(before.length - end, before.length - end + linesAround).map(same),
  ];
}

function isNearChange(lines: readonly DiffLine[], index: number): boolean {
  return lines.slice(Math.max(0, index - linesAround), index + linesAround + 1).some(({ sign }) => sign !== ' ');
}

/** By the longest common subsequence. */
function pairLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length * after.length > mostComparisons) {
    return [
      ...before.map((text) => ({ sign: '-', text }) as const),
      ...after.map((text) => ({ sign: '+', text }) as const),
    ];
  }
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] as number;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: ' ', text: before[i] as string });
      i += 1;
      j += 1;
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: before[i] as string });
      i += 1;
    } else {
      lines.push({ sign: '+', text: after[j] as string });
      j += 1;
    }
  }
  return lines;
}
