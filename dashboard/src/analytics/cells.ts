import type { Cell } from './csv.ts';
import { nameOf, type Query } from './query.ts';
import { isSameGroup, type Line, type Table } from './table.ts';

export interface FigureRow {
  readonly place: number;
  readonly line: Line;
  /** In the order of the metrics of the query. */
  readonly lines: readonly Line[];
}

/** The rows of the figures: one for each bucket and group that has any. */
export function rowsOf({ metrics }: Query, { buckets, lines }: Table): readonly FigureRow[] {
  const [first] = metrics;
  const groups = lines
    .filter(({ entry }) => entry === first)
    .map((line) => ({ line, lines: lines.filter(({ group }) => isSameGroup(group, line.group)) }));
  return buckets.flatMap((_, place) => groups.map((group) => ({ place, ...group })));
}

/** The figures as they are seen, under the names of the API, with times and their offsets. */
export function csvRows(query: Query, table: Table): readonly (readonly Cell[])[] {
  const dimensions = query.groupBy ?? [];
  const names = query.metrics.map(nameOf);
  const head = [
    'from',
    'to',
    ...dimensions,
    ...names,
    ...(table.hasPrevious ? names.map((name) => `previous.${name}`) : []),
  ];
  const rows = rowsOf(query, table).map(({ place, line, lines }): Cell[] => [
    table.buckets[place]?.from ?? null,
    table.buckets[place]?.to ?? null,
    ...dimensions.map((dimension) => line.group[dimension] ?? null),
    ...lines.map(({ values }) => values[place] ?? null),
    ...(table.hasPrevious ? lines.map(({ previous }) => previous[place] ?? null) : []),
  ]);
  return [head, ...rows];
}
