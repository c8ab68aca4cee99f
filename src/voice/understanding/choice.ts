import { searchable } from './fold.ts';
import { compilePhrases } from './phrases.ts';

export interface AnswerOption {
  readonly value: string;
  readonly say: readonly string[];
}

/** The option that was named. If the caller names two, neither is taken. */
export function understandChoice(
  words: string,
  options: readonly AnswerOption[],
  language: string,
): string | undefined {
  const phrases = compilePhrases(
    options.map(({ say }) => say),
    language,
  );
  const [first, ...others] = phrases.matches(words);
  if (first === undefined) return undefined;
  if (others.length > 0) {
    // 二人 in 大人二人 is part of the longer phrase. What is still there without it was said in addition.
    const rest = searchable(words).replaceAll(first.text, ' / ');
    if (phrases.matches(rest).some(({ route }) => route !== first.route)) return undefined;
  }
  return options[first.route]?.value;
}
