import type { Turn } from '../../sdk/src/index.ts';
import { bytesOf } from './excerpt.ts';

/** The turns as lines of text, as many as fit. A model reads lines as well as objects, at a tenth of the size. */
export function linesWithin(turns: readonly Turn[], maxBytes: number): string[] {
  let left = maxBytes;
  const lines: string[] = [];
  for (const turn of turns) {
    const line = lineOf(turn);
    left -= bytesOf(line);
    if (left < 0) break;
    lines.push(line);
  }
  return lines;
}

export function lineOf({ role, startMs, text, interrupted, unspokenText, toolCall }: Turn): string {
  const start = `${(startMs / 1000).toFixed(1)} s ${role}`;
  if (toolCall !== null) {
    const { name, arguments: given, result, isError } = toolCall;
    return `${start}: ${name} ${JSON.stringify(given)} → ${isError ? 'error ' : ''}${JSON.stringify(result)}`;
  }
  const unspoken = interrupted ? ` [interrupted${unspokenText === null ? '' : `; not said: ${unspokenText}`}]` : '';
  return `${start}: ${text}${unspoken}`;
}
