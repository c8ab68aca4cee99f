import { type AnalyticsFilters, intervalOf, scopeOf } from './filters.ts';
import { allOf, type Query } from './query.ts';
import type { BuiltInView } from './views.ts';

/** The query of a built-in view, with the filters of the page. */
export function queryOf({ query, isOverTime }: BuiltInView, filters: AnalyticsFilters): Query {
  const scope = scopeOf(filters);
  const filter = allOf([scope.filter, query.filter]);
  return { ...scope, ...query, ...(filter && { filter }), ...(isOverTime && { interval: intervalOf(filters) }) };
}
