import { type CallType, callTypes, type Direction, directions } from '../calls/call.ts';
import { dayOf, startOf } from '../parts/days.ts';
import { allOf, type Comparison, type Filter, type Query } from './query.ts';
import { browserZone } from './zone.ts';

export const periods = ['24h', '7d', '30d', '90d', '12mo', 'days'] as const;
export type Period = (typeof periods)[number];
export const intervals = ['hour', 'day', 'week', 'month'] as const;
export type ShownInterval = (typeof intervals)[number];
export const comparisons: readonly Comparison[] = ['previous', 'week', 'month', 'year'];

/** What the figures are about, as in the URL of the page. */
export interface AnalyticsFilters {
  readonly period: Period;
  /** Days of the period `days`, both included. */
  readonly from: string;
  readonly to: string;
  /** Empty: chosen by the length of the period. */
  readonly interval: ShownInterval | '';
  readonly compare: Comparison | '';
  readonly agentId: string;
  readonly agentVersion: string;
  readonly type: CallType | '';
  readonly direction: Direction | '';
  readonly withDrafts: boolean;
  /** Empty: that of the browser. */
  readonly timeZone: string;
}

export const defaultPeriod: Period = '30d';
const dayMs = 86_400_000;
/** More points than this cannot be told apart, and an hour of a year is a row too many for the service. */
const maxPoints = 400;

/** Values that do not exist are dropped, because the service would reject them. */
export function readFilters(parameters: URLSearchParams): AnalyticsFilters {
  const choice = <Value extends string>(name: string, values: readonly Value[]) =>
    values.find((value) => value === parameters.get(name));
  const from = dayOf(parameters.get('from'));
  const to = dayOf(parameters.get('to'));
  const hasDays = from !== '' && to !== '' && from <= to && daysBetween(from, to) <= 800;
  const period = choice('period', periods) ?? defaultPeriod;
  const filters: AnalyticsFilters = {
    period: period === 'days' && !hasDays ? defaultPeriod : period,
    from: period === 'days' && hasDays ? from : '',
    to: period === 'days' && hasDays ? to : '',
    interval: choice('interval', intervals) ?? '',
    compare: choice('compare', comparisons) ?? '',
    agentId: (parameters.get('agentId') ?? '').slice(0, 64),
    agentVersion: /^[1-9]\d{0,8}$/.exec(parameters.get('agentVersion') ?? '')?.[0] ?? '',
    type: choice('type', callTypes) ?? '',
    direction: choice('direction', directions) ?? '',
    withDrafts: parameters.get('drafts') === 'true',
    timeZone: zoneOf(parameters.get('timeZone')),
  };
  return possibleIntervals(filters).some((interval) => interval === filters.interval)
    ? filters
    : { ...filters, interval: '' };
}

/** As URL parameters, without those that are not set. */
export function writeFilters({ withDrafts, period, ...texts }: AnalyticsFilters): Record<string, string> {
  const all = { ...texts, period: period === defaultPeriod ? '' : period, drafts: withDrafts ? 'true' : '' };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** How many conditions there are on calls. */
export function countConditions({ agentId, agentVersion, type, direction, withDrafts }: AnalyticsFilters): number {
  return [agentId, agentVersion, type, direction, withDrafts ? 'true' : ''].filter((value) => value !== '').length;
}

/** The intervals that a period can be divided into. */
export function possibleIntervals(filters: Pick<AnalyticsFilters, 'period' | 'from' | 'to'>): readonly ShownInterval[] {
  const days = daysOf(filters);
  const lengths: Record<ShownInterval, number> = { hour: 1 / 24, day: 1, week: 7, month: 30 };
  return intervals.filter(
    (interval) => days / lengths[interval] <= maxPoints && (lengths[interval] < days || interval === 'hour'),
  );
}

export function intervalOf(filters: AnalyticsFilters): ShownInterval {
  if (filters.interval !== '') return filters.interval;
  const days = daysOf(filters);
  if (days <= 2) return 'hour';
  if (days <= 92) return 'day';
  return days <= 200 ? 'week' : 'month';
}

/** The part of a query that all charts have in common. */
export function scopeOf(
  filters: AnalyticsFilters,
): Pick<Query, 'range' | 'timeZone' | 'includeDrafts' | 'compare' | 'filter'> {
  const { agentId, agentVersion, type, direction, withDrafts, compare } = filters;
  const filter = allOf([
    agentId === '' ? undefined : { field: 'agentId', op: 'eq', value: agentId },
    agentVersion === '' ? undefined : { field: 'agentVersion', op: 'eq', value: Number(agentVersion) },
    type === '' ? undefined : { field: 'type', op: 'eq', value: type },
    direction === '' ? undefined : { field: 'direction', op: 'eq', value: direction },
  ] satisfies (Filter | undefined)[]);
  return {
    range: rangeOf(filters),
    timeZone: filters.timeZone === '' ? browserZone() : filters.timeZone,
    ...(withDrafts && { includeDrafts: true }),
    ...(compare !== '' && { compare }),
    ...(filter !== undefined && { filter }),
  };
}

function rangeOf({ period, from, to, timeZone }: AnalyticsFilters): Query['range'] {
  if (period !== 'days') return { last: period };
  // The end is not included, so it is the start of the next day.
  if (timeZone === '') return { from: startOf(from, 0), to: startOf(to, 1) };
  return { from: startIn(timeZone, from, 0), to: startIn(timeZone, to, 1) };
}

/** The start of a day in a time zone, `days` later. */
export function startIn(timeZone: string, day: string, days: number): string {
  const wall = Date.parse(`${day}T00:00:00Z`) + days * dayMs;
  // The offset is that of the result: a second look finds it if a clock change is near.
  const first = wall - offsetAt(timeZone, wall);
  return new Date(wall - offsetAt(timeZone, first)).toISOString();
}

function offsetAt(timeZone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall - Math.floor(at / 1000) * 1000;
}

function daysOf({ period, from, to }: Pick<AnalyticsFilters, 'period' | 'from' | 'to'>): number {
  const lengths: Record<Exclude<Period, 'days'>, number> = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, '12mo': 365 };
  return period === 'days' ? daysBetween(from, to) : lengths[period];
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
}

function zoneOf(name: string | null): string {
  if (name === null || name === '') return '';
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return '';
  }
}
