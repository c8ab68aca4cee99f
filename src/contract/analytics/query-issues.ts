import type { FilterIssue } from '../filter.ts';
import { analyticsFields } from './fields.ts';
import { fieldTypeOf, metrics } from './metrics.ts';
import { isOfUsualYear, lastOf, maxRangeDays, rangeUnits, wrongYear } from './ranges.ts';

type Path = readonly (string | number)[];

/** For checks that run even if parts of an object are invalid, so that all issues are named at once. */
export function isAnyObject({ value }: { readonly value: unknown }): boolean {
  return isObject(value);
}

/**
 * What is wrong between the parts of a query. They may be invalid by themselves, so that all problems are named at once:
 * what is not as expected is left out.
 */
export function queryIssues(query: Readonly<Record<string, unknown>>): FilterIssue[] {
  const entries = listOf(query.metrics);
  const names = entries.map(nameIn);
  const dimensions = listOf(query.groupBy).filter((name) => typeof name === 'string');
  const repeated = names.flatMap((name, index) =>
    name === undefined || names.indexOf(name) === index
      ? []
      : [issue(['metrics', index], `${name} is already the name of another metric`)],
  );
  const by = isObject(query.order) ? query.order.by : undefined;
  const isKnown = typeof by !== 'string' || by === 'bucket' || names.includes(by) || dimensions.includes(by);
  return [
    ...repeated,
    ...entries.flatMap((entry, index) => ratioIssues(entry, ['metrics', index, 'ratio'], entries)),
    ...(new Set(dimensions).size === dimensions.length ? [] : [issue(['groupBy'], 'must have different dimensions')]),
    ...(isKnown ? [] : [issue(['order', 'by'], 'must be bucket, or a metric or a dimension of this query')]),
  ];
}

function ratioIssues(entry: unknown, path: Path, all: readonly unknown[]): FilterIssue[] {
  if (!isObject(entry)) return [];
  const others = all.filter((each) => typeof each === 'string' || (isObject(each) && 'metric' in each)).map(nameIn);
  return listOf(entry.ratio).flatMap((name, place) =>
    typeof name !== 'string' || others.includes(name)
      ? []
      : [issue([...path, place], 'must be the name of another metric of this query')],
  );
}

function nameIn(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  return isObject(entry) && typeof entry.as === 'string' ? entry.as : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** What is wrong with a metric and its field, at these paths. */
export function metricIssues({
  metric: name,
  field,
}: {
  readonly metric: string;
  readonly field?: string | undefined;
}): FilterIssue[] {
  const metric = metrics.get(name);
  if (metric === undefined) return [];
  const wanted = fieldTypeOf(metric);
  const at = ['field'];
  if (wanted === undefined) return field === undefined ? [] : [issue(at, `${name} has no field`)];
  if (field === undefined) return [issue(at, `is required for ${name}`)];
  const known = analyticsFields(field);
  if (known === undefined) return [issue(at, 'is not a field; analytics.fields.list returns all fields')];
  const fits = wanted === 'any' || known.type === 'any' || known.type === wanted;
  return fits ? [] : [issue(at, `must be a ${wanted} for ${name}`)];
}

interface RangeShape {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly last?: string | undefined;
  readonly complete?: boolean | undefined;
}

/** What is wrong with a range whose times are valid. */
export function rangeIssues({ from, to, last, complete }: RangeShape): FilterIssue[] {
  const at = (name: string) => [name];
  if (last !== undefined) {
    const parsed = lastOf(last);
    return [
      ...(from === undefined && to === undefined ? [] : [issue([], 'must have either last, or from and to')]),
      ...(parsed === undefined
        ? [issue(at('last'), 'must be a number from 1 to 400 with h, d, w or mo, such as 7d')]
        : []),
      ...(parsed !== undefined && parsed.count > rangeUnits[parsed.unit]
        ? [issue(at('last'), `must be at most ${rangeUnits[parsed.unit]}${parsed.unit}`)]
        : []),
    ];
  }
  const issues = complete === undefined ? [] : [issue(at('complete'), 'belongs to last')];
  if (from === undefined && to === undefined) return [...issues, issue([], 'must have last, or from and to')];
  if (from === undefined) return [...issues, issue(at('from'), 'is required')];
  if (to === undefined) return [...issues, issue(at('to'), 'is required')];
  for (const [name, time] of Object.entries({ from, to })) {
    if (!isOfUsualYear(time)) issues.push(issue(at(name), wrongYear));
  }
  if (issues.length > 0) return issues;
  const length = Date.parse(to) - Date.parse(from);
  if (length <= 0) return [...issues, issue(at('to'), 'must be after from')];
  return length > maxRangeDays * 86_400_000 ? [...issues, issue([], `must be at most ${maxRangeDays} days`)] : issues;
}

function issue(path: Path, message: string): FilterIssue {
  return { path, message };
}
