import { toHiragana } from '../text/normalized.ts';
import { japaneseNumber, japaneseNumberRun, kanaNumberSource, kanjiOfKanaNumber } from '../text/numerals.ts';
import type { FoundTimes, HourRange, SpokenTime } from './spoken-time.ts';

const kanaNumber = kanaNumberSource.replace(/\+$/, '{1,4}');
const kanaWords: readonly (readonly [RegExp, string])[] = [
  [/ごぜん/g, '午前'],
  [/ごご/g, '午後'],
  [/しょうご/g, '正午'],
  [/ゆうがた/g, '夕方'],
  [/よる/g, '夜'],
  [/あさ(?!って)/g, '朝'],
];
const kanaTime = new RegExp(`(${kanaNumber})(じ(?!かん)|時(?!間)|ふん|ぷん|分)`, 'g');

/** ごごさんじはん and 午後三時半 as 午後3時半. */
function withDigits(text: string): string {
  let result = toHiragana(text);
  for (const [pattern, replacement] of kanaWords) result = result.replace(pattern, replacement);
  result = result
    .replace(kanaTime, (whole, number: string, counter: string) => {
      const kanji = kanjiOfKanaNumber(number);
      return kanji === undefined ? whole : `${kanji}${/[じ時]/.test(counter) ? '時' : '分'}`;
    })
    .replace(/(?<=時)はん/g, '半');
  return result.replace(japaneseNumberRun, (run, offset: number) => {
    const next = result[offset + run.length];
    const value = next === '時' || next === '分' ? japaneseNumber(run) : undefined;
    return value === undefined ? run : String(value);
  });
}

const parts: readonly (readonly [RegExp, HourRange])[] = [
  [/午前|(?<![a-z])am(?![a-z])/, [0, 11]],
  [/午後|(?<![a-z])pm(?![a-z])/, [12, 23]],
  [/早朝|明け方/, [3, 8]],
  [/(?<!早)朝/, [4, 11]],
  [/昼/, [11, 16]],
  [/夕方/, [15, 19]],
  [/深夜|夜中/, [22, 5]],
  [/(?<!深)夜(?!中)|今晩|晩/, [17, 3]],
];
const time = /(\d{1,2})(?:時(?!間)(?:(半)|の?(\d{1,2})分(前)?)?|:(\d{2}))/g;
const notOneTime = /以降|以前|過ぎ|すぎ|以外|じゃなく|ではなく|までの間/;

export function japaneseTimes(words: string): FoundTimes | undefined {
  const text = withDigits(words);
  if (notOneTime.test(text)) return undefined;
  const ranges = parts.filter(([pattern]) => pattern.test(text)).map(([, range]) => range);
  const times: SpokenTime[] = [];
  for (const [, hour, half, minute, isBefore, afterColon] of text.matchAll(time)) {
    const minutes = half === undefined ? Number(minute ?? afterColon ?? 0) : 30;
    times.push(
      isBefore === undefined
        ? { hour: Number(hour), minute: minutes }
        : { hour: Number(hour), minute: 0, minutesBefore: minutes },
    );
  }
  // Officially 午後12時 is midnight, for most people it is noon.
  if (/午[前後]の?12時(?!半|の?\d)/.test(text)) return undefined;
  if (/正午/.test(text)) times.push({ hour: 12, minute: 0 });
  if (/真夜中/.test(text) && times.length === 0) times.push({ hour: 0, minute: 0 });
  return { times, ranges };
}
