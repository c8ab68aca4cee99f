import type { ParsedResult } from 'chrono-node';
import { noonOf } from '../calendar.ts';
import { existing, type FoundDates, nextMonthDay } from './coming-days.ts';

interface Parser {
  parse(text: string, reference: { instant: ReturnType<typeof noonOf>; timezone: number }): ParsedResult[];
}

/** Without one of these, no month is named. */
const monthSign = /[月/.-]|年|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;

/** Dates that name their month. What is relative to today is not left to the library: it always picks one reading. */
function explicitDates(parser: Parser, text: string, today: number) {
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
      /** Undefined for a month alone. */
      day: start.isCertain('day') ? (start.get('day') ?? undefined) : undefined,
      /** The weekday that was named with it, Sunday 0. */
      weekday: start.isCertain('weekday') ? (start.get('weekday') ?? undefined) : undefined,
      isRange: end !== null && end !== undefined,
    }));
}

export type DateRule = readonly [
  pattern: RegExp,
  dayOf: (match: RegExpMatchArray, today: number) => number | undefined,
];

/** The dates of a text. What is found is blanked, so that it is not found again by another rule. */
export class DateSearch implements FoundDates {
  readonly days: (number | undefined)[] = [];
  readonly weekdays: number[] = [];
  text: string;
  readonly #today: number;
  readonly #blank: string;

  constructor(text: string, today: number, blank: string) {
    this.text = text;
    this.#today = today;
    this.#blank = blank;
  }

  take(rules: readonly DateRule[]): void {
    for (const [pattern, dayOf] of rules) {
      for (let match = pattern.exec(this.text); match !== null; match = pattern.exec(this.text)) {
        this.days.push(dayOf(match, this.#today));
        this.#remove(match.index, match.index + match[0].length);
      }
    }
  }

  /** Takes dates that name their month. `isOther`: whether a month alone is another word. */
  takeExplicit(parser: Parser, isOther: (month: string) => boolean = () => false): void {
    const today = this.#today;
    for (const { start, end, year, month, day, weekday, isRange } of explicitDates(parser, this.text, today)) {
      if (day === undefined && isOther(this.text.slice(start, end))) continue;
      const inYear = (known: number) =>
        year === undefined ? nextMonthDay(month, known, today) : existing({ year, month, day: known });
      this.days.push(day === undefined || isRange ? undefined : inYear(day));
      if (weekday !== undefined) this.weekdays.push(weekday);
      this.#remove(start, end);
    }
  }

  #remove(start: number, end: number): void {
    this.text = `${this.text.slice(0, start)}${this.#blank.repeat(end - start)}${this.text.slice(end)}`;
  }
}
