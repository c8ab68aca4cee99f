import type { Temporal as TemporalNamespace } from 'temporal-polyfill';
import { type Comparison, type Interval, lastOf, type RangeUnit } from '../../../contract/analytics/ranges.ts';

type TemporalModule = typeof TemporalNamespace;
type ZonedDateTime = TemporalNamespace.ZonedDateTime;

export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Parts of a range, in order: each from its limit to the next one. */
export interface Buckets extends TimeRange {
  /** When each begins; the first at `from`. */
  readonly starts: readonly number[];
}

/** How far a zone is ahead of UTC. */
export interface Offset extends TimeRange {
  readonly offsetMs: number;
}

export interface RequestedRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly last?: string | undefined;
  readonly complete?: boolean | undefined;
}

/** Newer versions of Node.js have it. */
export async function loadTemporal(): Promise<TemporalModule> {
  const { Temporal } = globalThis as { readonly Temporal?: TemporalModule };
  return Temporal ?? (await import('temporal-polyfill')).Temporal;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Hours, days, weeks and months of a time zone. */
export class Calendar {
  readonly #temporal: TemporalModule;
  readonly #timeZone: string;
  #offset: Offset | undefined;

  constructor(temporal: TemporalModule, timeZone: string) {
    this.#temporal = temporal;
    this.#timeZone = timeZone;
  }

  /** The range that a query asks for at this time. */
  rangeOf({ from, to, last, complete = false }: RequestedRange, now: number): TimeRange {
    const parsed = last === undefined ? undefined : lastOf(last);
    if (parsed === undefined) return { from: Date.parse(from as string), to: Date.parse(to as string) };
    const { count, unit } = parsed;
    if (unit === 'h') {
      const end = complete ? this.#startOfHour(now) : this.#endOfHour(now);
      return { from: this.#startOfHour(end - count * hourMs), to: end };
    }
    const running = this.#startOfUnit(this.#at(now).toPlainDate(), unit);
    const end = complete ? running : running.add(lengthOf(unit, 1));
    return { from: this.#midnight(end.subtract(lengthOf(unit, count))), to: this.#midnight(end) };
  }

  /** The range that it is compared with. */
  earlier({ from, to }: TimeRange, comparison: Comparison, last: string | undefined): TimeRange {
    const parsed = last === undefined ? undefined : lastOf(last);
    if (comparison === 'previous') {
      if (parsed === undefined || parsed.unit === 'h') return { from: from - (to - from), to: from };
      const start = this.#at(from).toPlainDate();
      return { from: this.#midnight(start.subtract(lengthOf(parsed.unit, parsed.count))), to: from };
    }
    const moved = (time: number) => this.#at(time).subtract({ [`${comparison}s`]: 1 }).epochMilliseconds;
    return { from: moved(from), to: moved(to) };
  }

  /** The buckets of a range; undefined if there are more than `max`. */
  buckets({ from, to }: TimeRange, interval: Interval, max: number): Buckets | undefined {
    const starts = from < to ? [from] : [];
    if (interval !== 'none') {
      for (let next = this.#next(from, interval); next < to; next = this.#next(next, interval)) {
        if (starts.length === max) return undefined;
        starts.push(next);
      }
    }
    return { from, to, starts };
  }

  /** The time as text, with the offset that the zone has then. */
  text(time: number): string {
    return this.#at(time).toString({ timeZoneName: 'never' });
  }

  /** The offsets in a range, in order. */
  offsets({ from, to }: TimeRange): Offset[] {
    const offsets: Offset[] = [];
    for (let at = from; at < to; at = offsets.at(-1)?.to ?? to) offsets.push(this.#offsetAt(at));
    return offsets;
  }

  #next(time: number, interval: Exclude<Interval, 'none'>): number {
    if (interval === 'hour') return this.#endOfHour(time);
    const unit = unitOf[interval];
    let day = this.#startOfUnit(this.#at(time).toPlainDate(), unit);
    // Where a zone has skipped a day, two days have the same midnight.
    for (;;) {
      day = day.add(lengthOf(unit, 1));
      const next = this.#midnight(day);
      if (next > time) return next;
    }
  }

  /** An hour begins on the hour, and at each change of the offset. */
  #startOfHour(time: number): number {
    const { from, offsetMs } = this.#offsetAt(time);
    return Math.max(Math.floor((time + offsetMs) / hourMs) * hourMs - offsetMs, from);
  }

  #endOfHour(time: number): number {
    const { to, offsetMs } = this.#offsetAt(time);
    return Math.min(Math.floor((time + offsetMs) / hourMs + 1) * hourMs - offsetMs, to);
  }

  /** The offset at a time, and how long it applies. Changes are rare, and looking for them takes a while. */
  #offsetAt(time: number): Offset {
    const known = this.#offset;
    if (known !== undefined && known.from <= time && time < known.to) return known;
    const local = this.#at(time);
    this.#offset = {
      from: this.#at(time + 1).getTimeZoneTransition('previous')?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
      to: local.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
      offsetMs: local.offsetNanoseconds / 1_000_000,
    };
    return this.#offset;
  }

  #startOfUnit(day: TemporalNamespace.PlainDate, unit: Exclude<RangeUnit, 'h'>): TemporalNamespace.PlainDate {
    if (unit === 'd') return day;
    return unit === 'w' ? day.subtract({ days: day.dayOfWeek - 1 }) : day.with({ day: 1 });
  }

  #midnight(day: TemporalNamespace.PlainDate): number {
    return day.toZonedDateTime(this.#timeZone).epochMilliseconds;
  }

  #at(time: number): ZonedDateTime {
    return this.#temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(this.#timeZone);
  }
}

const unitOf = { day: 'd', week: 'w', month: 'mo' } as const;

function lengthOf(unit: Exclude<RangeUnit, 'h'>, count: number): Record<string, number> {
  return { [{ d: 'days', w: 'weeks', mo: 'months' }[unit]]: count };
}

/** The hour of a local time, and its day: 1 for Monday. */
export function hourOfDay(localMs: number): number {
  return Math.floor(localMs / hourMs) - Math.floor(localMs / dayMs) * 24;
}

export function dayOfWeek(localMs: number): number {
  const sinceThursday = Math.floor(localMs / dayMs);
  return ((((sinceThursday + 3) % 7) + 7) % 7) + 1;
}
