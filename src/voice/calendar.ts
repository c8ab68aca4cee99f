import { memo } from './text/memo.ts';

/** A day without a time or a zone. Days are counted from 1970-01-01, so that a week later is plus seven. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The algorithm of Howard Hinnant: years start in March, so that the leap day is the last one. */
export function dayNumber({ year, month, day }: CalendarDay): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export function dayOfNumber(number: number): CalendarDay {
  const shifted = number + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

export function exists(day: CalendarDay): boolean {
  if (day.month < 1 || day.month > 12 || day.day < 1 || day.day > 31) return false;
  return dayOfNumber(dayNumber(day)).day === day.day;
}

/** Sunday is 0. */
export function weekdayOf(number: number): number {
  return (((number + 4) % 7) + 7) % 7;
}

export function isoDate({ year, month, day }: CalendarDay): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Creating a format takes longer than all else in a turn of a flow. */
const dayFormat = memo(
  (timeZone) =>
    new Intl.DateTimeFormat('en-US-u-ca-gregory', { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' }),
);

/** Days begin at a quarter of an hour everywhere, so all moments of one have the same day. */
const quarterMs = 900_000;
/** The key is the time zone and the quarter: neither contains a space. */
const dayAt = memo((key) => {
  const [timeZone, quarter] = key.split(' ');
  return { day: dayOf(timeZone as string, Number(quarter) * quarterMs) };
});

/** The day that it is somewhere, as a number. */
export function dayIn(timeZone: string, epochMs: number): number {
  return dayAt(`${timeZone} ${Math.floor(epochMs / quarterMs)}`).day;
}

function dayOf(timeZone: string, epochMs: number): number {
  const parts = new Map(
    dayFormat(timeZone)
      .formatToParts(epochMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: 'year' | 'month' | 'day'): number => parts.get(name) as number;
  return dayNumber({ year: part('year'), month: part('month'), day: part('day') });
}

/** Milliseconds since 1970 of an ISO 8601 or RFC 2822 time. */
export function epochOf(time: string): number {
  return Date.parse(time);
}

/** Noon in UTC, for libraries that want an object. This file is the only one in `src/voice` that uses `Date`. */
export function noonOf(number: number): Date {
  return new Date(number * 86_400_000 + 43_200_000);
}
