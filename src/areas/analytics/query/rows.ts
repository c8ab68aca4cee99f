import type { AnalyticsQuery, AnalyticsRow } from '../../../contract/analytics/query.ts';
import { compareValues, type GroupValue } from './groups.ts';

/** A row, with what decides about its place. */
export interface ComputedRow {
  readonly row: AnalyticsRow;
  /** The place of its bucket, and of its group. */
  readonly place: number;
  readonly group: number;
  readonly groupValues: readonly GroupValue[];
  /** The first metric of the whole group. */
  readonly rank: () => number | null;
}

/** The rows in the order of the query, as many as it wants. */
export function arrangedRows(
  rows: readonly ComputedRow[],
  { order, limit, groupBy }: Pick<AnalyticsQuery, 'order' | 'limit' | 'groupBy'>,
): { readonly rows: ComputedRow[]; readonly truncated: boolean } {
  const { by = 'bucket', direction = 'asc' } = order ?? {};
  const dimension = groupBy.indexOf(by);
  const key = ({ row, place, groupValues }: ComputedRow): GroupValue => {
    if (by === 'bucket') return place;
    return dimension === -1 ? (row.values[by] ?? null) : (groupValues[dimension] ?? null);
  };
  const compare = (one: ComputedRow, other: ComputedRow): number =>
    compareInDirection(key(one), key(other), direction) || one.place - other.place || compareGroups(one, other);
  const kept = rows.length > limit ? largestGroups(rows, limit) : rows;
  return { rows: [...kept].sort(compare).slice(0, limit), truncated: rows.length > limit };
}

function compareInDirection(one: GroupValue, other: GroupValue, direction: 'asc' | 'desc'): number {
  if (one === null || other === null || direction === 'asc') return compareValues(one, other);
  return compareValues(other, one);
}

function compareGroups(one: ComputedRow, other: ComputedRow): number {
  for (const [index, value] of one.groupValues.entries()) {
    const compared = compareValues(value, other.groupValues[index] ?? null);
    if (compared !== 0) return compared;
  }
  return 0;
}

/** Groups are kept as a whole, unless not even one fits. */
function largestGroups(rows: readonly ComputedRow[], limit: number): readonly ComputedRow[] {
  const firsts = rows.filter(({ place }) => place === 0);
  const fitting = Math.floor(limit / (rows.length / firsts.length));
  if (fitting === 0) return rows;
  const ranked = firsts
    .map((first) => ({ first, rank: first.rank() }))
    .sort((one, other) => compareInDirection(one.rank, other.rank, 'desc') || compareGroups(one.first, other.first));
  const kept = new Set(ranked.slice(0, fitting).map(({ first }) => first.group));
  return rows.filter(({ group }) => kept.has(group));
}
