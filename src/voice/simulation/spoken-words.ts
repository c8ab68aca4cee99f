import { LRUCache } from 'lru-cache';
import { speechMs, wordsOf } from '../text/words.ts';

export interface SpokenWord {
  /** Where the word ends in the text. */
  readonly end: number;
  /** How long it takes to say, with the pause after it. */
  readonly ms: number;
}

/** The runs of a simulation say the same sentences: finding their words took a sixth of the time. */
const cache = new LRUCache<string, readonly SpokenWord[]>({ max: 2000 });

/** The words of a text with the time that each takes. */
export function spokenWords(text: string, language: string): readonly SpokenWord[] {
  const key = `${language} ${text}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const words = wordsOf(text, language);
  const spoken = words.map(({ start, end }, index) => ({
    end,
    ms: speechMs(text.slice(start, words[index + 1]?.start ?? text.length), language),
  }));
  cache.set(key, spoken);
  return spoken;
}
