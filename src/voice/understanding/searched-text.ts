import type { RE2JS } from 're2js';
import { isInsideWord } from './fold.ts';
import type { Work } from './work.ts';

/** The steps for a place where a phrase was found: whether a word begins and ends there. */
const stepsPerPlace = 80;
/** A search in a text of this length is short for every pattern. */
const shortLength = 64;

/** Tells whether a phrase is in a text, in whole words. What that takes is counted: false if it is too much. */
export function createPhraseSearch(text: string, work: Work): (phrase: string) => boolean {
  const counts = text.length <= shortLength ? null : countsIn(text);
  /** Places that begin like the phrase are compared one by one; the others are skipped fast. */
  const stepsOf = (phrase: string): number =>
    counts === null ? 4 + text.length : 4 + (text.length >> 5) + (counts.get(phrase[0] as string) ?? 0);
  return (phrase) => {
    if (!work.take(stepsOf(phrase))) return false;
    for (let from = 0; ; ) {
      const start = text.indexOf(phrase, from);
      if (start === -1 || !work.take(stepsPerPlace)) return false;
      const end = start + phrase.length;
      if (!isInsideWord(text[start - 1], text[start]) && !isInsideWord(text[end - 1], text[end])) return true;
      from = start + 1;
    }
  };
}

function countsIn(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (let place = 0; place < text.length; place += 1) {
    const unit = text[place] as string;
    counts.set(unit, (counts.get(unit) ?? 0) + 1);
  }
  return counts;
}

/** The steps of a search that do not depend on the pattern. */
const stepsPerSearch = 80;
/** The steps for a character that is read. For each of them RE2 takes at most every instruction of the pattern once. */
const stepsPerRead = 16;

/** Ends a search that takes too much work. */
class TooMuchWork extends Error {}

/**
 * A text that counts how often a pattern reads it: RE2 is linear for one match, but a pattern can have as many matches as
 * the text has characters, each of which may read to its end.
 */
class CountedText extends String {
  readonly #text: string;
  readonly #work: Work;
  readonly #stepsPerRead: number;

  constructor(text: string, work: Work, expression: RE2JS) {
    super(text);
    this.#text = text;
    this.#work = work;
    this.#stepsPerRead = stepsPerRead + expression.programSize();
  }

  override charCodeAt(index: number): number {
    if (!this.#work.take(this.#stepsPerRead)) throw new TooMuchWork();
    return this.#text.charCodeAt(index);
  }

  override indexOf(text: string, from?: number): number {
    if (!this.#work.take(4 + this.#text.length - (from ?? 0))) throw new TooMuchWork();
    return this.#text.indexOf(text, from);
  }
}

/** The longest match in the text; empty if there is none, or if the work is too much. */
export function longestMatch(expression: RE2JS, text: string, work: Work): string {
  const counted = new CountedText(text, work, expression);
  // Before each match RE2 clears one bit for every instruction and character.
  const stepsPerMatch = stepsPerSearch + ((expression.programSize() * text.length) >> 10);
  let longest = '';
  try {
    // The library takes texts by their methods; its types know strings only.
    for (const matcher = expression.matcher(counted as unknown as string); ; ) {
      if (!work.take(stepsPerMatch) || !matcher.find()) return longest;
      if (matcher.end() - matcher.start() > longest.length) longest = text.slice(matcher.start(), matcher.end());
    }
  } catch (error) {
    if (error instanceof TooMuchWork) return '';
    throw error;
  }
}
