import type { Turn, TurnWord } from '../ports.ts';

/** Detectors and recognizers disagree a little about where speech begins and ends. */
const slackMs = 300;

/**
 * The words of a turn, from words on the clock of the call: times since its start that lie within the turn, in order.
 * Words of an earlier turn are left out. None belongs to a later one: after a stall, the network delivers speech all at
 * once, which then seems to last beyond the end of the turn.
 */
export function wordsWithin(
  words: readonly TurnWord[],
  { startMs, endMs }: Pick<Turn, 'startMs' | 'endMs'>,
  startedAt: number,
): TurnWord[] {
  let last = startMs;
  return words.flatMap((word) => {
    const [start, end] = [word.startMs - startedAt, word.endMs - startedAt];
    if (end < startMs - slackMs) return [];
    const within = (ms: number) => {
      last = Math.min(endMs, Math.max(last, Math.round(ms)));
      return last;
    };
    return [{ text: word.text, startMs: within(start), endMs: within(end), confidence: word.confidence }];
  });
}
