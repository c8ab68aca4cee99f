import type { FilterLeaf, Filter as ServiceFilter } from '../../../src/contract/filter.ts';

/** A condition on calls, as calls.search and analytics.query take it. */
export type Filter = ServiceFilter;
export type { FilterLeaf };

export type Interval = 'none' | 'hour' | 'day' | 'week' | 'month';
export type Comparison = 'previous' | 'week' | 'month' | 'year';
export type ChartKind = 'line' | 'bar' | 'table' | 'number' | 'heatmap';
export type Scalar = string | number | boolean | null;

export interface MetricEntry {
  readonly metric: string;
  readonly field?: string;
  readonly filter?: Filter;
  readonly as: string;
}

export interface RatioEntry {
  readonly ratio: readonly [string, string];
  readonly as: string;
}

export type RequestedMetric = string | MetricEntry | RatioEntry;

export interface RelativeRange {
  readonly last: string;
  readonly complete?: boolean;
}

export interface FixedRange {
  readonly from: string;
  readonly to: string;
}

/** The body of analytics.query. */
export interface Query {
  readonly range: RelativeRange | FixedRange;
  readonly timeZone?: string;
  readonly interval?: Interval;
  readonly metrics: readonly RequestedMetric[];
  readonly groupBy?: readonly string[];
  readonly filter?: Filter;
  readonly includeDrafts?: boolean;
  readonly compare?: Comparison;
  readonly order?: { readonly by?: string; readonly direction?: 'asc' | 'desc' };
  readonly limit?: number;
}

export type Group = Readonly<Record<string, Scalar>>;
export type Values = Readonly<Record<string, number | null>>;

export interface Row {
  readonly bucket: string;
  readonly group: Group;
  readonly values: Values;
  readonly previous: Values | null;
}

/** The response of analytics.query. */
export interface Result {
  readonly rows: readonly Row[];
  readonly range: FixedRange;
  readonly previousRange: FixedRange | null;
  readonly timeZone: string;
  readonly truncated: boolean;
  readonly filledFrom: string | null;
  readonly asOf: string;
  readonly calls: number;
  readonly tookMs: number;
}

/** The name of a requested metric in the rows of the response. */
export function nameOf(entry: RequestedMetric): string {
  return typeof entry === 'string' ? entry : entry.as;
}

/** The metric that an entry asks for; undefined for a ratio of two others. */
export function metricOf(entry: RequestedMetric): string | undefined {
  if (typeof entry === 'string') return entry;
  return 'metric' in entry ? entry.metric : undefined;
}

/** The conditions that all have to hold; undefined if there is none. */
export function allOf(conditions: readonly (Filter | undefined)[]): Filter | undefined {
  const all = conditions.filter((condition) => condition !== undefined);
  return all.length > 1 ? { all } : all[0];
}
