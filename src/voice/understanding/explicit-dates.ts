import type { ParsedResult } from 'chrono-node';
import { noonOf } from '../calendar.ts';

export interface ExplicitDate {
  readonly start: number;
  readonly end: number;
  readonly year: number | undefined;
  readonly month: number;
  /** Undefined for a month alone. */
  readonly day: number | undefined;
  /** The weekday that was named with it, Sunday 0. */
  readonly weekday: number | undefined;
  readonly isRange: boolean;
}

interface Parser {
  parse(text: string, reference: { instant: ReturnType<typeof noonOf>; timezone: number }): ParsedResult[];
}

/** Without one of these, no month is named. */
const monthSign = /[月/.-]|年|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;

/** Dates that name their month. What is relative to today is not left to the library: it always picks one reading. */
export function explicitDates(parser: Parser, text: string, today: number): ExplicitDate[] {
  // The library tries every kind of date on every answer.
  if (!monthSign.test(text)) return [];
  return parser
    .parse(text, { instant: noonOf(today), timezone: 0 })
    .filter(({ start }) => start.isCertain('month'))
    .map(({ index, text: found, start, end }) => ({
      start: index,
      end: index + found.length,
      year: start.isCertain('year') ? (start.get('year') ?? undefined) : undefined,
      month: start.get('month') as number,
      day: start.isCertain('day') ? (start.get('day') ?? undefined) : undefined,
      weekday: start.isCertain('weekday') ? (start.get('weekday') ?? undefined) : undefined,
      isRange: end !== null && end !== undefined,
    }));
}
