import type { AnalyticsMetric, AnalyticsQuery, AnalyticsResult, CallFilter } from '../../../sdk/src/index.ts';

/** A condition on calls, as calls.search and analytics.query take it. */
export type Filter = CallFilter;
export type Interval = NonNullable<AnalyticsQuery['interval']>;
export type Comparison = NonNullable<AnalyticsQuery['compare']>;
export type ChartKind = 'line' | 'bar' | 'table' | 'number' | 'heatmap';
export type Scalar = string | number | boolean | null;
export type MetricName = AnalyticsMetric;

export interface MetricEntry {
  readonly metric: MetricName;
  readonly field?: string;
  readonly filter?: Filter;
  readonly as: string;
}

export interface RatioEntry {
  readonly ratio: readonly [string, string];
  readonly as: string;
}

export type RequestedMetric = MetricName | MetricEntry | RatioEntry;

/** The body of analytics.query. */
export interface Query extends Readonly<Omit<AnalyticsQuery, 'metrics' | 'groupBy' | 'filter'>> {
  readonly metrics: readonly RequestedMetric[];
  readonly groupBy?: readonly string[];
  readonly filter?: Filter;
}

export type Result = AnalyticsResult;
export type Group = Readonly<Record<string, Scalar>>;

/** The name of a requested metric in the rows of the response. */
export function nameOf(entry: RequestedMetric): string {
  return typeof entry === 'string' ? entry : entry.as;
}

/** The metric that an entry asks for; undefined for a ratio of two others. */
export function metricOf(entry: RequestedMetric): MetricName | undefined {
  if (typeof entry === 'string') return entry;
  return 'metric' in entry ? entry.metric : undefined;
}

/** The conditions that all have to hold; undefined if there is none. */
export function allOf(conditions: readonly (Filter | undefined)[]): Filter | undefined {
  const all = conditions.flatMap((condition) => {
    if (condition === undefined) return [];
    return 'all' in condition ? condition.all : [condition];
  });
  return all.length > 1 ? { all } : all[0];
}
