import { type Unit, unitOfEntry } from './metric.ts';
import { metricOf, type RequestedMetric } from './query.ts';
import type { Line, Table } from './table.ts';

/** The colors that can be told apart. */
export const maxLines = 7;

/** The lines that share a scale, in the order of the query. */
export interface Panel {
  readonly unit: Unit;
  readonly lines: readonly Line[];
  /** How many groups there are, if not all of them are drawn. */
  readonly groups: number | null;
}

/** What is drawn of a table: lines of different units do not share a scale. */
export function panelsOf(metrics: readonly RequestedMetric[], { lines }: Table): readonly Panel[] {
  const units = [...new Set(metrics.map((entry) => unitOfEntry(entry, metrics)))];
  return units.map((unit) => {
    const own = lines.filter(({ entry }) => unitOfEntry(entry, metrics) === unit);
    return { unit, ...largestOf(own) };
  });
}

/** The rest of what can be added up is one more line. */
function largestOf(lines: readonly Line[]): Pick<Panel, 'lines' | 'groups'> {
  if (lines.length <= maxLines) return { lines, groups: null };
  const [first] = lines;
  const rest = lines.slice(maxLines - 1);
  if (first === undefined || !lines.every(({ entry }) => entry === first.entry) || !isAdditive(first.entry)) {
    return { lines: lines.slice(0, maxLines), groups: lines.length };
  }
  const sums = (values: (line: Line) => readonly (number | null)[]) =>
    first.values.map((_, place) => rest.reduce((sum, line) => sum + (values(line)[place] ?? 0), 0));
  const other: Line = {
    entry: first.entry,
    group: Object.fromEntries(Object.keys(first.group).map((dimension) => [dimension, '(other)'])),
    values: sums((line) => line.values),
    previous: sums((line) => line.previous),
  };
  return { lines: [...lines.slice(0, maxLines - 1), other], groups: null };
}

function isAdditive(entry: RequestedMetric): boolean {
  return /^([a-z]+C|c)alls$|\.sum$/.test(metricOf(entry) ?? '');
}

const sentimentColors: Readonly<Record<string, string>> = {
  positive: 'var(--app-plot-4)',
  neutral: 'var(--mantine-color-gray-5)',
  mixed: 'var(--app-plot-2)',
  negative: 'var(--app-plot-3)',
};

export function colorOf({ group }: Line, place: number): string {
  const sentiment = group['analysis.sentiment'];
  const known = typeof sentiment === 'string' ? sentimentColors[sentiment] : undefined;
  return known ?? `var(--app-plot-${(place % maxLines) + 1})`;
}

/** A point of a chart. What is running is drawn apart: `r0` begins where `s0` ends. `p0` is the period before. */
export type Point = Readonly<Record<string, number | null>> & { readonly place: number };

export function pointsOf({ buckets }: Table, lines: readonly Line[]): readonly Point[] {
  return buckets.map(({ isRunning }, place) => {
    const isLastComplete = !isRunning && (buckets[place + 1]?.isRunning ?? false);
    const point: Record<string, number | null> = {};
    for (const [index, { values, previous }] of lines.entries()) {
      const value = values[place] ?? null;
      point[`s${index}`] = isRunning ? null : value;
      point[`r${index}`] = isRunning || isLastComplete ? value : null;
      point[`b${index}`] = value;
      point[`p${index}`] = previous[place] ?? null;
    }
    return { ...point, place, isRunning: isRunning ? 1 : 0 } as Point;
  });
}

/** Whether a value has no neighbor to draw a line to. */
export function isAlone(points: readonly Point[], key: string, place: number): boolean {
  const has = (at: number) => typeof points[at]?.[key] === 'number';
  return has(place) && !has(place - 1) && !has(place + 1);
}
