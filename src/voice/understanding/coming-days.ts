import { type CalendarDay, dayNumber, dayOfNumber, exists, weekdayOf } from '../calendar.ts';

/** What was found in the words, as numbers of days. */
export interface FoundDates {
  /** Days; undefined for a date that cannot be, is over, or has two readings. */
  readonly days: readonly (number | undefined)[];
  /** Weekdays that were named alone, Sunday 0. */
  readonly weekdays: readonly number[];
}

/** The coming day of that name, never today: 次の金曜, coming Friday. */
export function comingWeekday(weekday: number, today: number): number {
  return today + ((weekday - weekdayOf(today) + 6) % 7) + 1;
}

/**
 * A weekday of this week or a later one. Weeks begin on Sunday for some people and on Monday for others; where that
 * makes a difference, there are two readings.
 */
export function weekdayOfWeek(weekday: number, weeks: number, today: number): number | undefined {
  const fromSunday = today - weekdayOf(today) + weekday;
  const fromMonday = today - ((weekdayOf(today) + 6) % 7) + ((weekday + 6) % 7);
  return fromSunday === fromMonday ? fromSunday + weeks * 7 : undefined;
}

/** The next time that a month and day come, this year or the next. */
export function nextMonthDay(month: number, day: number, today: number): number | undefined {
  const { year } = dayOfNumber(today);
  const thisYear = existing({ year, month, day });
  if (thisYear !== undefined && thisYear >= today) return thisYear;
  return existing({ year: year + 1, month, day });
}

/** A day of this month, or of the next if it is over or does not exist. */
export function nextDayOfMonth(day: number, today: number): number | undefined {
  if (day < 1 || day > 31) return undefined;
  for (const months of [0, 1, 2]) {
    const found = dayOfLaterMonth(day, months, today);
    if (found !== undefined && found >= today) return found;
  }
  return undefined;
}

export function dayOfLaterMonth(day: number, months: number, today: number): number | undefined {
  const { year, month } = dayOfNumber(today);
  const index = month - 1 + months;
  return existing({ year: year + Math.floor(index / 12), month: (index % 12) + 1, day });
}

export function lastDayOfMonth(months: number, today: number): number | undefined {
  for (const day of [31, 30, 29, 28]) {
    const found = dayOfLaterMonth(day, months, today);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The same day some months later; nothing if that month has no such day. */
export function monthsLater(months: number, today: number): number | undefined {
  return dayOfLaterMonth(dayOfNumber(today).day, months, today);
}

export function existing(day: CalendarDay): number | undefined {
  return exists(day) ? dayNumber(day) : undefined;
}
