import { type Part, turnLine } from './messages.ts';
import type { AnalyzedCall } from './task.ts';

/** The characters of one request. */
export const maxPartLength = 100_000;
const maxParts = 10;

/** Splits a transcript at its turns; null if it is too long. */
export function partsOf({ turns }: AnalyzedCall): readonly Part[] | null {
  const texts: string[] = [];
  let lines: string[] = [];
  let length = 0;
  for (const turn of turns) {
    const line = turnLine(turn);
    if (length + line.length > maxPartLength && lines.length > 0) {
      texts.push(lines.join('\n'));
      lines = [];
      length = 0;
    }
    lines.push(line);
    length += line.length + 1;
  }
  texts.push(lines.join('\n'));
  if (texts.length > maxParts) return null;
  return texts.map((text, index) => ({ text, number: index + 1, count: texts.length }));
}
