export const maxRangeDays = 800;

const [firstTime, endOfTimes] = [Date.parse('1000-01-01T00:00:00Z'), Date.parse('9999-01-01T00:00:00Z')];
export const wrongYear = 'must be in a year from 1000 to 9998';

/** Whether a time has a year of four digits in every time zone, and so have those that it is compared with. */
export function isOfUsualYear(time: string): boolean {
  const instant = Date.parse(time);
  return instant >= firstTime && instant < endOfTimes;
}

/** The units of `last`, each with the most that 800 days have room for. */
export const rangeUnits = { h: 400, d: 400, w: 114, mo: 26 } as const;
export type RangeUnit = keyof typeof rangeUnits;

export const intervals = ['none', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

export const comparisons = ['previous', 'week', 'month', 'year'] as const;
export type Comparison = (typeof comparisons)[number];

/** The number and the unit of `last`; undefined if it is not one. */
export function lastOf(given: string): { readonly count: number; readonly unit: RangeUnit } | undefined {
  const match = /^([1-9]\d{0,2})(h|d|w|mo)$/.exec(given);
  return match === null ? undefined : { count: Number(match[1]), unit: match[2] as RangeUnit };
}
