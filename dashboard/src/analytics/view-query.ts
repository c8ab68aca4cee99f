import { type AnalyticsFilters, intervalOf, scopeOf } from './filters.ts';
import { allOf, type Filter, type Query } from './query.ts';
import type { BuiltInView } from './views.ts';

/** The query of a built-in view, with the filters of the page. */
export function queryOf({ query, isOverTime }: BuiltInView, filters: AnalyticsFilters): Query {
  const scope = scopeOf(filters);
  const filter = allOf([...partsOf(scope.filter), ...partsOf(query.filter)]);
  return { ...scope, ...query, ...(filter && { filter }), ...(isOverTime && { interval: intervalOf(filters) }) };
}

function partsOf(filter: Filter | undefined): readonly Filter[] {
  if (filter === undefined) return [];
  return 'all' in filter ? filter.all : [filter];
}
