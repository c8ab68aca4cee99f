import { callFields } from './call-fields.ts';
import { allOf, type Filter, type Group, metricOf, type Query, type RequestedMetric } from './query.ts';

interface Place {
  readonly query: Query;
  readonly group: Group;
  /** The times between which the calls were created; several if they are not one piece. */
  readonly spans: readonly { readonly from: string; readonly to: string }[];
  readonly entry?: RequestedMetric | undefined;
}

/** calls.search accepts this many conditions. */
export const maxConditions = 50;
/** Other groups are put together under this name. */
const otherGroup = '(other)';

/**
 * What calls.search has to look for to list the calls behind a figure. It does not know every field: conditions on the
 * others are left out, so that the list may be longer than the figure.
 */
export function filterBehind({ query, group, spans, entry }: Place): Filter | undefined {
  const isOver: Filter = { field: 'status', op: 'in', value: ['ended', 'not_connected', 'error'] };
  const times = spans.map(({ from, to }) =>
    allOf([
      { field: 'createdAt', op: 'gte', value: from },
      { field: 'createdAt', op: 'lt', value: to },
    ]),
  ) as Filter[];
  const own = entry !== undefined && typeof entry === 'object' && 'filter' in entry ? entry.filter : undefined;
  const filter = allOf([
    times.length === 1 ? times[0] : { any: times },
    ...groupConditions(group),
    searchable(query.filter),
    searchable(own),
    entry === undefined ? undefined : conditionOf(entry),
    isOver,
  ]);
  return filter === undefined || countOf(filter) > maxConditions ? undefined : filter;
}

/** The address of the list of these calls; undefined if there is none. */
export function callsHref(place: Place): string | undefined {
  const filter = filterBehind(place);
  return filter === undefined ? undefined : `/calls?filter=${encodeURIComponent(JSON.stringify(filter))}`;
}

function groupConditions(group: Group): Filter[] {
  return Object.entries(group).flatMap(([field, value]): Filter[] => {
    if (!callFields(field) || value === otherGroup) return [];
    return [value === null ? { field, op: 'exists', value: false } : { field, op: 'eq', value }];
  });
}

/** Calls that a metric does not count are left out. */
function conditionOf(entry: RequestedMetric): Filter | undefined {
  const metric = metricOf(entry) ?? '';
  if (/^error(Calls|Rate)$/.test(metric)) return { field: 'status', op: 'eq', value: 'error' };
  if (metric === 'successRate') return { field: 'analysis.successful', op: 'exists', value: true };
  if (metric.startsWith('latency.e2eMs')) return { field: 'latency.e2eMs.p50', op: 'exists', value: true };
  if (/^(connectedCalls|durationMs|agentTurns|callerTurns|toolCalls|analyzedRate)/.test(metric)) {
    return { field: 'startedAt', op: 'exists', value: true };
  }
  return undefined;
}

/** What of a filter calls.search can compare. A part of `any` or `not` cannot be left out without the whole. */
function searchable(filter: Filter | undefined): Filter | undefined {
  if (filter === undefined) return undefined;
  if ('field' in filter) return callFields(filter.field) ? filter : undefined;
  if ('all' in filter) return allOf(filter.all.map(searchable));
  const parts = 'any' in filter ? filter.any : [filter.not];
  const isKnown = parts.every((part) => {
    const known = searchable(part);
    return known !== undefined && countOf(known) === countOf(part);
  });
  return isKnown ? filter : undefined;
}

function countOf(filter: Filter): number {
  if ('field' in filter) return 1;
  if ('not' in filter) return countOf(filter.not);
  const parts = 'all' in filter ? filter.all : filter.any;
  return parts.reduce((sum, part) => sum + countOf(part), 0);
}
