import { strict } from 'chrono-node/en';
import { englishNumber } from '../text/numerals.ts';
import {
  comingWeekday,
  dayOfLaterMonth,
  existing,
  type FoundDates,
  monthsLater,
  nextDayOfMonth,
  nextMonthDay,
  weekdayOfWeek,
} from './coming-days.ts';
import { type DateRule, DateSearch } from './explicit-dates.ts';

const weekday = '(sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?';
const weekdayNumber = (name: string | undefined): number =>
  ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].indexOf((name ?? '').slice(0, 3));
const ordinals =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth';
const ordinalNumbers = new Map([
  ...ordinals.split(' ').map((word, index) => [word, index + 1] as const),
  ...ordinals
    .split(' ')
    .slice(0, 9)
    .map((word, index) => [`twenty ${word}`, index + 21] as const),
  ['thirtieth', 30],
  ['thirty first', 31],
]);
const ordinal = `(\\d{1,2})(?:st|nd|rd|th)|(${[...ordinalNumbers.keys()].sort((one, other) => other.length - one.length).join('|')})`;
const count =
  '(\\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|twenty|thirty)';
const amount = (text: string | undefined): number =>
  /^\d+$/.test(text ?? '') ? Number(text) : text === 'an' ? 1 : (englishNumber([text ?? '']) ?? 0);
const ordinalValue = (digits: string | undefined, word: string | undefined): number =>
  digits === undefined ? (ordinalNumbers.get(word ?? '') ?? 0) : Number(digits);

function later(unit: string | undefined, times: number, from: number): number | undefined {
  return unit === 'day' ? from + times : unit === 'week' ? from + times * 7 : monthsLater(times, from);
}

/** In this order, because each takes its words away from those after it. */
const relativeDays: readonly DateRule[] = [
  [
    new RegExp(`\\b(?:a|one) week from (?:this |on )?${weekday}\\b`),
    ([, name], today) => comingWeekday(weekdayNumber(name), today) + 7,
  ],
  [
    new RegExp(`\\b${count} (day|week|month)s? from tomorrow\\b`),
    ([, times, unit], today) => later(unit, amount(times), today + 1),
  ],
  [
    new RegExp(`\\b(?:in ${count} (day|week|month)s?(?:' time)?|${count} (day|week|month)s? from (?:now|today))\\b`),
    ([, times, unit, otherTimes, otherUnit], today) => later(unit ?? otherUnit, amount(times ?? otherTimes), today),
  ],
  [/\b(?:the )?day after tomorrow\b/, (_, today) => today + 2],
  [/\btomorrow\b/, (_, today) => today + 1],
  [/\b(?:today|tonight|this (?:morning|afternoon|evening))\b/, (_, today) => today],
  [/\byesterday\b|\blast \w+/, () => undefined],
  [
    new RegExp(`\\b${weekday} (?:of )?(next week|this week|(?:the )?week after next)\\b`),
    ([, name, week = ''], today) => weekdayOfWeek(weekdayNumber(name), weeksIn(week), today),
  ],
  [
    new RegExp(`\\b(next week|this week|(?:the )?week after next)(?: on)?,? ${weekday}\\b`),
    ([, week = '', name], today) => weekdayOfWeek(weekdayNumber(name), weeksIn(week), today),
  ],
  [new RegExp(`\\bnext ${weekday}\\b`), ([, name], today) => nextNamed(weekdayNumber(name), today)],
  [
    new RegExp(`\\b(?:this coming|coming|this) ${weekday}\\b`),
    ([, name], today) => comingWeekday(weekdayNumber(name), today),
  ],
  [
    new RegExp(`\\b(?:the )?(?:${ordinal}) of (this|next) month\\b`),
    ([, digits, word, month], today) => dayOfLaterMonth(ordinalValue(digits, word), month === 'next' ? 1 : 0, today),
  ],
  [
    new RegExp(`\\b(this|next) month on the (?:${ordinal})(?![\\w])`),
    ([, month, digits, word], today) => dayOfLaterMonth(ordinalValue(digits, word), month === 'next' ? 1 : 0, today),
  ],
  [/\bchristmas eve\b/, (_, today) => nextMonthDay(12, 24, today)],
  [/\bchristmas(?: day)?\b/, (_, today) => nextMonthDay(12, 25, today)],
  [/\bnew year'?s eve\b/, (_, today) => nextMonthDay(12, 31, today)],
  [/\bnew year'?s day\b/, (_, today) => nextMonthDay(1, 1, today)],
  [/\bvalentine'?s(?: day)?\b/, (_, today) => nextMonthDay(2, 14, today)],
];
/** After the library, which takes those of a month that is named. */
const daysOfMonth: readonly DateRule[] = [
  [
    new RegExp(`\\bthe (?:${ordinal})\\b`),
    ([, digits, word], today) => nextDayOfMonth(ordinalValue(digits, word), today),
  ],
  [
    new RegExp(`(?<![\\w-])(?:${ordinal})(?![\\w])`),
    ([, digits, word], today) => nextDayOfMonth(ordinalValue(digits, word), today),
  ],
];

function weeksIn(words: string): number {
  return words.startsWith('this') ? 0 : words.startsWith('next') ? 1 : 2;
}

/** For some people the coming one, for others the one of next week. */
function nextNamed(day: number, today: number): number | undefined {
  const coming = comingWeekday(day, today);
  return weekdayOfWeek(day, 1, today) === coming ? coming : undefined;
}

const monthBeforeThe =
  /\b(january|february|march|april|may|june|july|august|september|october|november|december),? the /g;
const notOneDay = /\b(?:or|not|except|before|after|between|weekend|weekdays?|any|every|either)\b/;
const timesAndCounts =
  /\b\d{1,2}(?::\d{2})?\s*(?:a\.?m\b|p\.?m\b|o'clock)\.?|\b\d{1,2}:\d{2}\b|\bat \d{1,2}\b|\bfor \d{1,3}\b|\b\d{1,3} (?:people|persons?|guests?)\b/g;

export function englishDates(words: string, today: number, isAmerican: boolean): FoundDates | undefined {
  const text = words
    .replaceAll(/\b(twenty|thirty)-(?=[a-z])/g, '$1 ')
    // "January the first": the library does not know the article.
    .replaceAll(monthBeforeThe, '$1 ')
    .replaceAll(/(?<=\b(?:day|week)) after (?=tomorrow|next)/g, ' after_');
  if (notOneDay.test(text)) return undefined;
  const search = new DateSearch(text.replaceAll(' after_', ' after '), today, '*');
  const { days, weekdays } = search;
  // Before the library, which would read all of them as month and day, and "the day after" and "in a month" on their own.
  const slashDates: DateRule = [
    /(?<![\d/])(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?(?![\d/])/,
    ([, one, two, year]) => slashDate(Number(one), Number(two), year, { today, isAmerican }),
  ];
  search.take([slashDates, ...relativeDays]);
  // "May" alone is more often a verb.
  search.takeExplicit(strict, (month) => month === 'may');
  search.take(daysOfMonth);
  const rest = search.text
    .replace(new RegExp(`\\b${weekday}s?\\b`, 'g'), (whole, name: string) => {
      // "Sat" and "sun" are words, too.
      if (/^(?:sun|sat)s?$/.test(whole)) return whole;
      weekdays.push(weekdayNumber(name));
      return '*';
    })
    .replace(timesAndCounts, '');
  const isUnread =
    /\d|\bweeks?\b|\bmonths?\b|\byears?\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b/;
  return isUnread.test(rest) ? undefined : { days, weekdays };
}

/** 3/5 is in March in the United States and in May elsewhere. */
function slashDate(
  one: number,
  two: number,
  year: string | undefined,
  context: { readonly today: number; readonly isAmerican: boolean },
) {
  const at = (month: number, day: number): number | undefined =>
    year === undefined ? nextMonthDay(month, day, context.today) : existing({ year: Number(year), month, day });
  const [monthFirst, dayFirst] = [at(one, two), at(two, one)];
  if (context.isAmerican || dayFirst === undefined || dayFirst === monthFirst) return monthFirst;
  return monthFirst === undefined ? dayFirst : undefined;
}
