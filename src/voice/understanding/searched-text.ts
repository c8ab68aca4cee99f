import { isInsideWord } from './fold.ts';
import type { Work } from './work.ts';

/** The steps for a place where a phrase was found: whether a word begins and ends there. */
const stepsPerPlace = 80;
/** A search in a text of this length is short, whatever is searched. */
const shortLength = 64;

/** A text in which phrases are searched. What that takes is counted. */
export class SearchedText {
  readonly #text: string;
  readonly #work: Work;
  readonly #counts: ReadonlyMap<string, number> | null;

  constructor(text: string, work: Work) {
    this.#text = text;
    this.#work = work;
    this.#counts = text.length <= shortLength ? null : countsIn(text);
  }

  /** Whether the phrase is in the text, in whole words. False if the work is too much. */
  includes(phrase: string): boolean {
    const text = this.#text;
    const work = this.#work;
    if (!work.take(this.#stepsOf(phrase))) return false;
    for (let from = 0; ; ) {
      const start = text.indexOf(phrase, from);
      if (start === -1 || !work.take(stepsPerPlace)) return false;
      const end = start + phrase.length;
      if (!isInsideWord(text[start - 1], text[start]) && !isInsideWord(text[end - 1], text[end])) return true;
      from = start + 1;
    }
  }

  /** Places that begin like the phrase are compared one by one; the others are skipped fast. */
  #stepsOf(phrase: string): number {
    const { length } = this.#text;
    if (this.#counts === null) return 4 + length;
    return 4 + (length >> 5) + (this.#counts.get(phrase[0] as string) ?? 0);
  }
}

function countsIn(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (let place = 0; place < text.length; place += 1) {
    const unit = text[place] as string;
    counts.set(unit, (counts.get(unit) ?? 0) + 1);
  }
  return counts;
}
