import { z } from 'zod';
import type { Turn } from '../../sdk/src/index.ts';
import { bytesOf, firstThatFit, sliceOf } from './excerpt.ts';

/** The turns of a call. A model reads lines as well as objects, at a tenth of the size. */
export const transcript = z
  .array(z.string())
  .meta({ description: 'What was said, one line per turn: when it began, by whom, and the text.' });

/** As many as fit. */
export function linesWithin(turns: readonly Turn[], maxBytes: number): string[] {
  return firstThatFit(turns.map(lineOf), maxBytes);
}

/** The limit per line in characters; tried in this order until the whole reply fits. */
const budgets = [Number.POSITIVE_INFINITY, 12_000, 4000, 1000, 300];

/** Every turn of a reply. Long ones are truncated if they do not fit, because the last one is the answer. */
export function replyLines(turns: readonly Turn[], maxBytes: number): string[] {
  const lines = turns.map(lineOf);
  for (const budget of budgets) {
    const shortened = lines.map((line) => (line.length <= budget ? line : `${sliceOf(line, 0, budget)}… [truncated]`));
    if (bytesOf(shortened) <= maxBytes) return shortened;
  }
  return linesWithin(turns.slice(-1), maxBytes);
}

export function lineOf({ role, startMs, text, interrupted, unspokenText, toolCall }: Turn): string {
  const start = `${(startMs / 1000).toFixed(1)} s ${role}`;
  if (toolCall !== null) {
    const { name, arguments: given, result, isError, isExample } = toolCall;
    const outcome = `${isError ? 'error ' : ''}${JSON.stringify(result)}`;
    return `${start}: ${name} ${JSON.stringify(given)} → ${outcome}${isExample ? ' (example)' : ''}`;
  }
  const unspoken = interrupted ? ` [interrupted${unspokenText === null ? '' : `; not said: ${unspokenText}`}]` : '';
  return `${start}: ${text}${unspoken}`;
}
