import { dayIn, dayOfNumber, isoDate, weekdayOf } from '../calendar.ts';
import { isJapanese } from '../text/language.ts';
import { normalizeText } from '../text/normalized.ts';
import type { FoundDates } from './coming-days.ts';
import { englishDates } from './date-english.ts';
import { japaneseDates } from './date-japanese.ts';

/** The day that the words name, today or later. */
export function understandDate(
  words: string,
  { language, now, timeZone }: { readonly language: string; readonly now: number; readonly timeZone: string },
): string | undefined {
  const today = dayIn(timeZone, now);
  const text = normalizeText(words.replaceAll('’', "'")).plain;
  const isAmerican = /^en-us$/i.test(language);
  const found =
    isJapanese(language) || /[^\x00-\x7f]/.test(text)
      ? japaneseDates(text, today)
      : englishDates(text, today, isAmerican);
  const day = found === undefined ? undefined : onlyDay(found, today);
  return day === undefined || day < today || day > today + 36_525 ? undefined : isoDate(dayOfNumber(day));
}

function onlyDay({ days, weekdays }: FoundDates, today: number): number | undefined {
  const [first, ...otherDays] = new Set(days);
  const [weekday, ...otherWeekdays] = new Set(weekdays);
  if (otherDays.length > 0 || otherWeekdays.length > 0) return undefined;
  if (days.length === 0) return weekday === undefined ? undefined : nextWeekday(weekday, today);
  // 12月24日の木曜: one of the two is wrong if they do not agree.
  return first !== undefined && (weekday === undefined || weekdayOf(first) === weekday) ? first : undefined;
}

/** The next day of that name. On the day itself it can mean today or in a week. */
function nextWeekday(weekday: number, today: number): number | undefined {
  const ahead = (weekday - weekdayOf(today) + 7) % 7;
  return ahead === 0 ? undefined : today + ahead;
}
