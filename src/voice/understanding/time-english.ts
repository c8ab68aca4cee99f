import { englishNumber, isEnglishNumberWord } from '../text/numerals.ts';
import type { FoundTimes, HourRange, SpokenTime } from './spoken-time.ts';

const parts: readonly (readonly [RegExp, HourRange])[] = [
  [/(?<![a-z])a\.?\s?m\b/, [0, 11]],
  [/(?<![a-z])p\.?\s?m\b/, [12, 23]],
  [/\bmorning\b/, [3, 11]],
  [/\bafternoon\b/, [12, 18]],
  [/\bevening\b/, [16, 23]],
  [/\b(?:night|tonight)\b/, [18, 4]],
];

/** Number words as digits, one by one, because "three thirty" is no number: 3 30. "Oh five" is 05. */
function withDigits(text: string): string {
  const words = text.replaceAll(/(?<=[a-z])-(?=[a-z])/g, ' ').split(/\s+/);
  const result: string[] = [];
  for (let place = 0; place < words.length; place += 1) {
    const [, word = '', mark = ''] = /^([a-z]+)([,.!]*)$/.exec(words[place] as string) ?? [];
    const pair = englishNumber([word, (words[place + 1] ?? '').replace(/[,.!]+$/, '')]);
    if (word === 'oh' && isEnglishNumberWord(words[place + 1] ?? '')) {
      result.push(`0${englishNumber([words[place + 1] ?? '']) ?? ''}`);
      place += 1;
    } else if (/^(?:twenty|thirty|forty|fifty)$/.test(word) && mark === '' && pair !== undefined) {
      result.push(String(pair));
      place += 1;
    } else {
      const value = isEnglishNumberWord(word) ? englishNumber([word]) : undefined;
      result.push(value === undefined ? (words[place] as string) : `${value}${mark}`);
    }
  }
  return result.join(' ');
}

const relative =
  /\b(half|(?:a )?quarter|\d{1,2})(?: minutes?)? (past|after|to|before|till|of) (\d{1,2}(?!\d|:)|noon|midnight)\b/g;
const clock = /(?<![\d:.])(\d{1,2})(?:[:.](\d{2})|(?: (\d{2})(?!\d)))(?![\d:])/g;
const hours = /(?<![\d:])(\d{1,2}) hundred(?: hours)?\b/g;
const hour =
  /(?<![\d:])(\d{1,2})(?=\s?(?:o'clock|a\.?\s?m\b|p\.?\s?m\b|(?:in the|at|this) (?:morning|afternoon|evening|night)|tonight|tomorrow))|\bat (\d{1,2})(?![\d:])|\b(?:morning|evening|afternoon|tonight),? (\d{1,2})(?![\d:])/g;
const alone = /^\D*?(?<![a-z])(\d{1,2})[\s.,!]*(?:please|sharp|thanks)?[\s.,!]*$/;
const notOneTime =
  /\b(?:or|not|except|before|between|any|every|either|until|hours? (?:from|later)|minutes? (?:from|later))\b/;

export function englishTimes(words: string): FoundTimes | undefined {
  const ranges = parts.filter(([pattern]) => pattern.test(words)).map(([, range]) => range);
  const times: SpokenTime[] = [];
  let text = withDigits(words);
  const take = (pattern: RegExp, timeOf: (match: readonly (string | undefined)[]) => SpokenTime): void => {
    text = text.replace(pattern, (...match: unknown[]) => {
      times.push(timeOf(match as string[]));
      return '*';
    });
  };
  take(relative, ([, amount = '', direction = '', base = '']) => {
    const minutes = amount === 'half' ? 30 : /quarter/.test(amount) ? 15 : Number(amount);
    const from = base === 'noon' ? 12 : base === 'midnight' ? 0 : Number(base);
    const isAfter = direction === 'past' || direction === 'after';
    return isAfter ? { hour: from, minute: minutes } : { hour: from, minute: 0, minutesBefore: minutes };
  });
  take(hours, ([, value]) => ({ hour: Number(value), minute: 0 }));
  take(clock, ([, value, afterColon, spoken]) => ({ hour: Number(value), minute: Number(afterColon ?? spoken) }));
  take(hour, ([, ...values]) => ({ hour: Number(values.slice(0, 3).find((value) => value !== undefined)), minute: 0 }));
  take(/\b(?:12 )?(?:noon|midday)\b/g, () => ({ hour: 12, minute: 0 }));
  take(/\bmidnight\b/g, () => ({ hour: 0, minute: 0 }));
  if (times.length === 0) take(alone, ([, value]) => ({ hour: Number(value), minute: 0 }));
  return notOneTime.test(text) ? undefined : { times, ranges };
}
