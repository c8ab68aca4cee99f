import { memo } from '../text/memo.ts';
import { searchable } from './fold.ts';
import { bothEnds, compilePhrases, type Phrases } from './phrases.ts';
import type { Work } from './work.ts';

export interface AnswerOption {
  readonly value: string;
  readonly say: readonly string[];
}

/** The options of a skill do not change: they are compiled for its first answer. */
const compiled = new WeakMap<readonly AnswerOption[], (language: string) => Phrases>();

function phrasesOf(options: readonly AnswerOption[], language: string): Phrases {
  const known = compiled.get(options);
  if (known !== undefined) return known(language);
  const routes = options.map(({ say }) => say);
  const inLanguage = memo((each) => compilePhrases(routes, each));
  compiled.set(options, inLanguage);
  return inLanguage(language);
}

/** The option that was named. If the caller names two, neither is taken. */
export function understandChoice(
  words: string,
  options: readonly AnswerOption[],
  language: string,
  work: Work,
): string | undefined {
  const phrases = phrasesOf(options, language);
  const [first, ...others] = phrases.matches(words, work);
  if (first === undefined) return undefined;
  if (others.length > 0) {
    // 二人 in 大人二人 is part of the longer phrase. What is still there without it was said in addition.
    const rest = searchable(bothEnds(words)).replaceAll(first.text, ' / ');
    if (phrases.matches(rest, work).some(({ route }) => route !== first.route)) return undefined;
  }
  return work.isExceeded ? undefined : options[first.route]?.value;
}
