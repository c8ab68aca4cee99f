import type { Results } from './figures.ts';
import { type Box, find, legendOf, ratioOf, short, whole } from './plot-parts.ts';
import { figure } from './report.ts';
import { colours, dashed, line, rect, round, text } from './svg.ts';

const lineColours = ['#2457d6', '#0f9d8a', '#b4690e', '#8b46c1'];
const growthWorks = [
  { work: 'get-warm', label: 'get, warm' },
  { work: 'list-50-warm', label: 'list 50, warm' },
  { work: 'get', label: 'get, random' },
  { work: 'list-50', label: 'list 50, random' },
];
const searchGoalMs = 5;

/** Processor time per request relative to the smallest size. */
export function growth({ growth, targets }: Results, box: Box): string {
  const { sizes, measured } = growth as NonNullable<Results['growth']>;
  const smallest = sizes[0];
  const series = growthWorks.map(({ work, label }, index) => ({
    label,
    colour: lineColours[index] as string,
    values: sizes.map(({ title }) =>
      ratioOf(find(measured, title, work), find(measured, smallest?.title ?? '', work), 'cpuUsPerRequest'),
    ),
  }));
  const goal = targets.find(({ title }) => title.startsWith('processor time of get'))?.goal ?? null;
  const all = series.flatMap(({ values }) => values);
  const highest = Math.ceil(Math.max(1.5, ...all) * 4) / 4;
  const lowest = Math.floor(Math.min(0.75, ...all) * 2) / 2;
  const [left, right, top, bottom] = [box.x + 34, box.x + box.width - 30, box.y + 62, box.y + box.height - 26];
  const xOf = (index: number) => left + 18 + ((right - left - 36) * index) / Math.max(1, sizes.length - 1);
  const yOf = (ratio: number) => bottom - ((ratio - lowest) / (highest - lowest)) * (bottom - top);
  const step = [0.25, 0.5, 1, 2].find((size) => (highest - lowest) / size <= 8) ?? 4;
  const parts = [
    text(box.x, box.y + 10, 'Processor time per request as agents grow', { size: 14.5, weight: 650 }),
    legendOf(
      box.x,
      box.y + 33,
      series.map(({ label, colour }) => ({ name: label, colour })),
      false,
    ),
  ];
  for (let ratio = lowest; ratio <= highest + 1e-9; ratio += step) {
    parts.push(line(left, yOf(ratio), right, yOf(ratio), colours.line));
    parts.push(text(left - 8, yOf(ratio) + 4, ratio.toFixed(2), { size: 11, colour: colours.quiet, anchor: 'end' }));
  }
  if (goal !== null) {
    parts.push(dashed(left, yOf(goal), right, yOf(goal)));
    parts.push(text(right + 4, yOf(goal) + 4, `≤ ${goal}`, { size: 11 }));
  }
  for (const [index, { agents, workspaces }] of sizes.entries()) {
    const look = { size: 11, colour: colours.quiet, anchor: 'middle' } as const;
    parts.push(text(xOf(index), bottom + 18, short(agents), look));
    if (workspaces > 1) parts.push(text(xOf(index), bottom + 32, `in ${short(workspaces)} workspaces`, look));
  }
  // The last size may be a different kind of database, with agents spread over workspaces, so no line leads to it.
  const connected = sizes.filter(({ workspaces }) => workspaces === 1).length;
  for (const { values, colour } of series) {
    const points = values.map((value, index) => ({ x: round(xOf(index)), y: round(yOf(value)) }));
    parts.push(...lineThrough(points, connected, colour));
  }
  return parts.join('\n');
}

/** Dots, the first `connected` of them with a line. */
function lineThrough(points: readonly { x: number; y: number }[], connected: number, colour: string): string[] {
  const path = points.slice(0, connected).map(({ x, y }) => `${x},${y}`);
  return [
    `<polyline points="${path.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...points.map(({ x, y }, index) => {
      const fill = index < connected ? colour : colours.card;
      return `<circle cx="${x}" cy="${y}" r="4" fill="${fill}" stroke="${colour}" stroke-width="2"/>`;
    }),
  ];
}

/** The slowest of each kind of search, over both scripts, and first and deep pages. */
export function search({ growth }: Results, box: Box): string {
  const { measured, sizes } = growth as NonNullable<Results['growth']>;
  const kinds = new Map<string, number>();
  for (const { work, medians } of measured) {
    const match = /^search (\w+, [^,]+),/.exec(work);
    if (match?.[1] !== undefined) kinds.set(match[1], Math.max(kinds.get(match[1]) ?? 0, medians.medianMs));
  }
  const [left, right, top] = [box.x + 146, box.x + box.width - 44, box.y + 58];
  const decades = [0.1, 1, 10, ...(Math.max(...kinds.values()) > 10 ? [100, 1000] : [])];
  const [least, most] = [decades[0] as number, decades.at(-1) as number];
  const xOf = (ms: number) => left + ((right - left) * Math.log(Math.max(ms, least) / least)) / Math.log(most / least);
  const rowHeight = (box.height - 26 - 58) / kinds.size;
  const bottom = top + rowHeight * kinds.size;
  const largest = sizes.filter(({ workspaces }) => workspaces === 1).at(-1);
  const parts = [
    text(box.x, box.y + 10, `Search among ${whole(largest?.agents ?? 0)} agents, median ms`, {
      size: 14.5,
      weight: 650,
    }),
    text(box.x, box.y + 33, 'the slowest of each kind: Latin and Japanese, first and deep pages', {
      size: 12,
      colour: colours.quiet,
    }),
    ...decades.map(
      (ms) =>
        line(xOf(ms), top, xOf(ms), bottom, colours.line) +
        text(xOf(ms), bottom + 18, String(ms), { size: 11, colour: colours.quiet, anchor: 'middle' }),
    ),
  ];
  for (const [index, [kind, ms]] of [...kinds].entries()) {
    parts.push(searchBar({ kind, ms, left, y: top + index * rowHeight, rowHeight, xOf }));
  }
  parts.push(dashed(xOf(searchGoalMs), top - 10, xOf(searchGoalMs), bottom));
  parts.push(text(xOf(searchGoalMs) + 5, top - 1, `≤ ${searchGoalMs}`, { size: 11 }));
  return parts.join('\n');
}

interface SearchBar {
  readonly kind: string;
  readonly ms: number;
  readonly left: number;
  readonly y: number;
  readonly rowHeight: number;
  readonly xOf: (ms: number) => number;
}

function searchBar({ kind, ms, left, y, rowHeight, xOf }: SearchBar): string {
  const height = Math.min(14, rowHeight - 6);
  const width = Math.max(2, xOf(ms) - left);
  const baseline = y + rowHeight / 2 + 4;
  // Placed inside if it would otherwise overlap the target line.
  const isInside = xOf(ms) < xOf(searchGoalMs) && xOf(ms) + 36 > xOf(searchGoalMs);
  const look = isInside ? ({ colour: colours.card, anchor: 'end' } as const) : {};
  const place = isInside ? xOf(ms) - 6 : Math.max(xOf(ms), left) + 6;
  return [
    rect(left, y + (rowHeight - height) / 2, width, height, ms <= searchGoalMs ? colours.service : colours.bad, 2),
    text(left - 10, baseline, kind, { size: 12, anchor: 'end' }),
    text(place, baseline, figure(ms), { size: 11.5, weight: 600, ...look }),
  ].join('\n');
}
