import { strict } from 'chrono-node/ja';
import { dayOfNumber } from '../calendar.ts';
import { toHiragana } from '../text/normalized.ts';
import { japaneseNumber, japaneseNumberRun, kanaNumberSource, kanjiOfKanaNumber } from '../text/numerals.ts';
import {
  comingWeekday,
  dayOfLaterMonth,
  type FoundDates,
  lastDayOfMonth,
  monthsLater,
  nextDayOfMonth,
  nextMonthDay,
  weekdayOfWeek,
} from './coming-days.ts';
import { type DateRule, DateSearch } from './explicit-dates.ts';

const kanaDays = new Map(
  'ついたち ふつか みっか よっか いつか むいか なのか ようか ここのか とおか'
    .split(' ')
    .map((text, index) => [text, index + 1]),
);
const kanaDay = new RegExp(`(?<=がつ|月)の?(${[...kanaDays.keys(), 'はつか'].join('|')})`, 'g');
const kanaCounter = new RegExp(
  `(${kanaNumberSource.replace(/\+$/, '{1,6}')})(がつ|にち(?!よう)|しゅうかんご|しゅうかん後|日後|かげつご)`,
  'g',
);
const kanjiOfCounter: Readonly<Record<string, string>> = {
  がつ: '月',
  にち: '日',
  しゅうかんご: '週間後',
  しゅうかん後: '週間後',
  かげつご: 'か月後',
};
const kanaWords: readonly (readonly [RegExp, string])[] = [
  [/しあさって|明明後日|明々後日/g, '明々後日'],
  [/あさって/g, '明後日'],
  [/あした|あす(?!か)/g, '明日'],
  [/きょう|本日/g, '今日'],
  [/おととい|きのう|一昨日/g, '昨日'],
  [/さらいしゅう|さ来週/g, '再来週'],
  [/らいしゅう|翌週/g, '来週'],
  [/こんしゅう/g, '今週'],
  [/らいげつ/g, '来月'],
  [/こんげつ/g, '今月'],
  [/らいねん/g, '来年'],
  [/(げつ|か|すい|もく|きん|ど|にち)よう(?=[びのにはで、。]|$)(?:び)?/g, '$1曜'],
];
const kanaWeekdays = new Map(
  'にち げつ か すい もく きん ど'.split(' ').map((text, index) => [text, '日月火水木金土'[index] as string]),
);

/** Kana and kanji numerals in the form that the patterns below expect: さんがついつか and 三月五日 as 3月5日. */
function withDigits(text: string): string {
  let result = /[ぁ-んァ-ヶ]/.test(text) ? rewriteKana(toHiragana(text)) : text;
  result = result.replace(japaneseNumberRun, (run, offset: number) => {
    const next = result.slice(offset + run.length, offset + run.length + 2);
    const value = /^\d+$/.test(run) || !/^(?:[年月日週後]|[かヶカヵ箇]月)/.test(next) ? undefined : japaneseNumber(run);
    return value === undefined ? run : String(value);
  });
  return result;
}

function rewriteKana(text: string): string {
  let result = text;
  for (const [pattern, replacement] of kanaWords) result = result.replace(pattern, replacement);
  result = result.replace(
    /(げつ|か|すい|もく|きん|ど|にち)曜/g,
    (_, day: string) => `${kanaWeekdays.get(day) ?? day}曜`,
  );
  result = result.replace(kanaCounter, (whole, number: string, counter: string) => {
    const kanji = kanjiOfKanaNumber(number);
    return kanji === undefined ? whole : `${kanji}${kanjiOfCounter[counter] ?? counter}`;
  });
  return result.replace(kanaDay, (_, day: string) => `${kanaDays.get(day) ?? 20}日`);
}

const weeks: Readonly<Record<string, number>> = { 今週: 0, 来週: 1, 再来週: 2 };
const months: Readonly<Record<string, number>> = { 今月: 0, 来月: 1, 再来月: 2 };
const weekdayNumber = (name: string | undefined): number => '日月火水木金土'.indexOf(name ?? '');

/** In this order, because each takes its words away from those after it. */
const rules: readonly DateRule[] = [
  [/(来週|再来週)の今日/, ([, week = ''], today) => today + 7 * (weeks[week] ?? 0)],
  [
    /(今週|再来週|来週)の?、?([日月火水木金土])曜日?/,
    ([, week = '', name], today) => weekdayOfWeek(weekdayNumber(name), weeks[week] ?? 0, today),
  ],
  [/(?:次|今度|つぎ|こんど)の?([日月火水木金土])曜日?/, ([, name], today) => comingWeekday(weekdayNumber(name), today)],
  [
    /(今月|再来月|来月)の?(\d{1,2})日(?![間後])/,
    ([, month = '', day], today) => dayOfLaterMonth(Number(day), months[month] ?? 0, today),
  ],
  [/(今月|再来月|来月)の?末日?/, ([, month = ''], today) => lastDayOfMonth(months[month] ?? 0, today)],
  [/(?<![\d年])月末/, (_, today) => lastDayOfMonth(0, today)],
  [/(\d{1,3})日後/, ([, days], today) => today + Number(days)],
  [/(\d{1,2})週間?後/, ([, count], today) => today + Number(count) * 7],
  [/(\d{1,2})[かヶカヵ箇]月後/, ([, count], today) => monthsLater(Number(count), today)],
  [/明々後日/, (_, today) => today + 3],
  [/明後日/, (_, today) => today + 2],
  [/明日/, (_, today) => today + 1],
  [/今日|今夜|今晩/, (_, today) => today],
  [/昨日/, () => undefined],
  [/くりすます・?いぶ|クリスマス・?イブ/, (_, today) => nextMonthDay(12, 24, today)],
  [/くりすます|クリスマス/, (_, today) => nextMonthDay(12, 25, today)],
  [/大晦日|大みそか/, (_, today) => nextMonthDay(12, 31, today)],
  [/元日|元旦/, (_, today) => nextMonthDay(1, 1, today)],
];
/** Words that mean another day than the one named, or more than one. */
const notOneDay =
  /以降|以外|以前|まで|じゃなく|ではなく|じゃない|ではない|より[前後]|週末|平日|土日|[のは]前日|[のは]翌日/;
const timesAndCounts = /\d{1,2}時(?:間|半|\d{1,2}分)?|\d{1,2}:\d{2}|\d{1,3}(?:人|名|泊|分)/g;

export function japaneseDates(words: string, today: number): FoundDates | undefined {
  if (notOneDay.test(words)) return undefined;
  const search = new DateSearch(withYears(withDigits(words), today), today, '＊');
  search.takeExplicit(strict);
  search.take(rules);
  const { days, weekdays } = search;
  const rest = search.text
    .replace(/([日月火水木金土])曜日?/g, (_, name: string) => {
      weekdays.push(weekdayNumber(name));
      return '＊';
    })
    .replace(/(?<![\d月曜])(\d{1,2})日(?![間後])/g, (_, day: string) => {
      days.push(nextDayOfMonth(Number(day), today));
      return '＊';
    })
    .replace(timesAndCounts, '');
  return /\d|週|曜|来月|今月|来年|ヶ月|か月/.test(rest) ? undefined : { days, weekdays };
}

/** 来年の3月5日 as a date with its year. */
function withYears(text: string, today: number): string {
  const { year } = dayOfNumber(today);
  const years: Readonly<Record<string, number>> = { 今年: year, 来年: year + 1, 再来年: year + 2 };
  return text
    .replace(/(今年|再来年|来年)の?(?=\d{1,2}月)/g, (_, name: string) => `${years[name]}年`)
    .replace(/(?<=\d[年月])の(?=\d)/g, '');
}
