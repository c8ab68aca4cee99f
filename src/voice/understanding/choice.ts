import { memo } from '../text/memo.ts';
import { searchable } from './fold.ts';
import { compilePhrases, type Phrases } from './phrases.ts';

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
): string | undefined {
  const phrases = phrasesOf(options, language);
  const [first, ...others] = phrases.matches(words);
  if (first === undefined) return undefined;
  if (others.length > 0) {
    // 二人 in 大人二人 is part of the longer phrase. What is still there without it was said in addition.
    const rest = searchable(words).replaceAll(first.text, ' / ');
    if (phrases.matches(rest).some(({ route }) => route !== first.route)) return undefined;
  }
  return options[first.route]?.value;
}
