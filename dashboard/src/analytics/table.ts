import { unitOfEntry } from './metric.ts';
import { type Group, nameOf, type Query, type RequestedMetric, type Result, type Scalar } from './query.ts';

export interface Bucket {
  /** With the offset of the time zone of the query. */
  readonly from: string;
  readonly to: string;
  /** It is not over yet: more calls will follow. */
  readonly isRunning: boolean;
}

/** A metric of a group over time: one value for each bucket. */
export interface Line {
  readonly entry: RequestedMetric;
  readonly group: Group;
  readonly values: readonly (number | null)[];
  readonly previous: readonly (number | null)[];
}

export interface Table {
  readonly buckets: readonly Bucket[];
  readonly lines: readonly Line[];
  readonly hasPrevious: boolean;
}

/** The rows of a response as lines over time, the largest groups of the first metric first. */
export function tableOf(query: Query, result: Result): Table {
  const starts = [...new Set(result.rows.map(({ bucket }) => bucket))].toSorted(
    (one, other) => Date.parse(one) - Date.parse(other),
  );
  const asOf = Date.parse(result.asOf);
  const buckets = starts.map((from, index) => {
    const to = starts[index + 1] ?? result.range.to;
    return { from, to, isRunning: Date.parse(to) > asOf };
  });
  const places = new Map(starts.map((start, index) => [start, index]));
  const groups = groupsOf(query, result);
  const lines = groups.flatMap(({ group, rows }) =>
    query.metrics.map((entry): Line => {
      const name = nameOf(entry);
      const values: (number | null)[] = starts.map(() => null);
      const previous: (number | null)[] = starts.map(() => null);
      for (const row of rows) {
        const place = places.get(row.bucket) as number;
        values[place] = row.values[name] ?? null;
        previous[place] = row.previous?.[name] ?? null;
      }
      return { entry, group, values, previous };
    }),
  );
  return { buckets, lines, hasPrevious: result.previousRange !== null };
}

function groupsOf({ metrics, groupBy = [], order }: Query, { rows }: Result) {
  const groups = new Map<string, { group: Group; rows: Result['rows'][number][]; size: number }>();
  const [first] = metrics;
  for (const row of rows) {
    const key = JSON.stringify(groupBy.map((dimension) => row.group[dimension] ?? null));
    const known = groups.get(key) ?? { group: row.group, rows: [], size: 0 };
    known.rows.push(row);
    known.size += (first === undefined ? null : row.values[nameOf(first)]) ?? 0;
    groups.set(key, known);
  }
  // An order that was asked for is that of the rows.
  if (order !== undefined) return [...groups.values()];
  return [...groups.values()].toSorted((one, other) => other.size - one.size);
}

/** Whether a response has anything to draw: of what the first metric counts, more than none. */
export function hasValues({ metrics }: Query, { lines }: Table): boolean {
  const [first] = metrics;
  if (first === undefined) return false;
  const isCounted = unitOfEntry(first, metrics) !== 'ratio';
  return lines.some(
    ({ entry, values }) => entry === first && values.some((value) => value !== null && !(isCounted && value === 0)),
  );
}

export function isSameGroup(one: Group, other: Group): boolean {
  return Object.entries(one).every(([name, value]: [string, Scalar]) => (other[name] ?? null) === value);
}

/** By how much a value has changed, as a fraction; null if that cannot be said. */
export function changeOf(value: number | null | undefined, before: number | null | undefined): number | null {
  if (value == null || before == null || before === 0) return null;
  return (value - before) / Math.abs(before);
}
