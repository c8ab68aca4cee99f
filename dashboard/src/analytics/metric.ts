import { metricOf, nameOf, type RequestedMetric } from './query.ts';

export type Unit = 'milliseconds' | 'count' | 'tokens' | 'characters' | 'ratio' | 'micros' | null;

const aggregate = /\.(count|sum|avg|min|max|p50|p75|p90|p95|p99)$/;

/** The unit of a metric, without asking the service for it. */
export function unitOf(metric: string): Unit {
  if (metric.endsWith('.count')) return 'count';
  const family = metric.replace(aggregate, '');
  if (/(Rate|[tT]alkRatio)$/.test(family)) return 'ratio';
  if (family.endsWith('Ms')) return 'milliseconds';
  if (family === 'cost') return 'micros';
  if (family.endsWith('Tokens')) return 'tokens';
  if (family.endsWith('.characters')) return 'characters';
  return family.startsWith('field') && family !== 'field.distinct' ? null : 'count';
}

/** The unit of what a query asks for. A ratio of two counts of calls is a share. */
export function unitOfEntry(entry: RequestedMetric, all: readonly RequestedMetric[]): Unit {
  const metric = metricOf(entry);
  if (metric !== undefined) return unitOf(metric);
  const parts = 'ratio' in (entry as object) ? (entry as { ratio: readonly string[] }).ratio : [];
  const metrics = parts
    .map((name) => all.find((other) => nameOf(other) === name))
    .map((part) => part && metricOf(part));
  return metrics.every((name) => name !== undefined && /^([a-z]+C|c)alls$/.test(name)) ? 'ratio' : null;
}

/** The name of a metric in two parts: what is measured, and how it is combined. */
export function partsOf(metric: string): { readonly family: string; readonly aggregate: string | null } {
  const found = aggregate.exec(metric)?.[1] ?? null;
  return { family: metric.replace(aggregate, ''), aggregate: found };
}
