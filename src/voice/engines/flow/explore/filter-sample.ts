import type { Filter, FilterLeaf, FilterScalar } from '../../../../contract/filter.ts';

/** Values of fields; a field that is not there has no value. */
export type Assignment = Readonly<Record<string, FilterScalar>>;

/** Values that make a filter true, one assignment for each alternative. A later part may contradict an earlier one. */
export function assignmentsFor(filter: Filter, isTrue = true): Assignment[] {
  if ('not' in filter) return assignmentsFor(filter.not, !isTrue);
  if ('all' in filter || 'any' in filter) {
    const parts = 'all' in filter ? filter.all : filter.any;
    const needsEvery = 'all' in filter === isTrue;
    if (!needsEvery) return parts.flatMap((part) => assignmentsFor(part, isTrue));
    return [Object.assign({}, ...parts.map((part) => assignmentsFor(part, isTrue)[0] ?? {}))];
  }
  // No value makes every leaf false, except that there must be none.
  const against = filter.op === 'exists' && filter.value === false ? 'x' : undefined;
  const value = isTrue ? valueFor(filter) : against;
  return [value === undefined ? {} : { [filter.field]: value }];
}

function valueFor({ op, value }: FilterLeaf): FilterScalar | undefined {
  switch (op) {
    case 'exists':
      return value === true ? 'x' : undefined;
    case 'in':
      return (value as readonly FilterScalar[])[0];
    case 'ne':
      return otherThan(value as FilterScalar);
    case 'lt':
      return typeof value === 'number' ? value - 1 : '1970-01-01T00:00:00Z';
    case 'gt':
      return typeof value === 'number' ? value + 1 : '9999-01-01T00:00:00Z';
    case 'eq':
    case 'lte':
    case 'gte':
    case 'contains':
    case 'startsWith':
      return value as FilterScalar;
    default:
      return op satisfies never;
  }
}

function otherThan(value: FilterScalar): FilterScalar {
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value + 1 : `${value}x`;
}
