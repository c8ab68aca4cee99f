import { type Part, turnLine } from './messages.ts';
import type { AnalyzedCall } from './task.ts';

/** The characters of one request. */
export const maxPartLength = 100_000;
const maxParts = 10;
/** The characters of a transcript. */
const maxLength = 1_000_000;

/** Splits a transcript at its turns; null if it is too long. */
export function partsOf({ turns }: AnalyzedCall): readonly Part[] | null {
  const lines = turns.map((turn) => {
    const text = turnLine(turn);
    return { text, length: codePoints(text) + 1 };
  });
  const total = lines.reduce((sum, { length }) => sum + length, 0);
  if (total > maxLength) return null;
  const full = split(lines, (length, next) => length + next > maxPartLength);
  // Long turns leave parts half empty. Then parts of the same length are used, each longer by less than a turn.
  const evenLength = total / maxParts;
  const parts = full.length <= maxParts ? full : split(lines, (length) => length >= evenLength);
  return parts.map((text, index) => ({ text, number: index + 1, count: parts.length }));
}

interface Line {
  readonly text: string;
  readonly length: number;
}

function split(lines: readonly Line[], isFull: (length: number, next: number) => boolean): string[] {
  const parts: string[][] = [[]];
  let length = 0;
  for (const { text, length: next } of lines) {
    if (length > 0 && isFull(length, next)) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(text);
    length += next;
  }
  return parts.map((part) => part.join('\n'));
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
