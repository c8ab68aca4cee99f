import { memo } from '../text/memo.ts';
import { speechMs, wordsOf } from '../text/words.ts';

/** The runs of a simulation say the same sentences: finding their words took a sixth of the time. */
const wordsIn = memo((language) => memo((text) => timedWords(text, language), 2000));

/** The words of a text: where each ends in it, and how long it takes to say, with the pause after it. */
export function spokenWords(text: string, language: string) {
  return wordsIn(language)(text);
}

function timedWords(text: string, language: string) {
  const words = wordsOf(text, language);
  return words.map(({ start, end }, index) => ({
    end,
    ms: speechMs(text.slice(start, words[index + 1]?.start ?? text.length), language),
  }));
}
