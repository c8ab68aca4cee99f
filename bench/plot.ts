/**
 * The results as a picture.
 *
 *   node bench/plot.ts bench/results/<date>.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { figure } from './report.ts';
import type { Measured, Results } from './results.ts';
import { median } from './statistics.ts';
import { colours, dashed, line, rect, round, text } from './svg.ts';

const width = 960;
const margin = 40;
const contestantColours = ['#2457d6', '#8fa3c8', '#b9a7d3', '#d7c08f'];
const lineColours = ['#2457d6', '#0f9d8a', '#b4690e', '#8b46c1'];

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function plotOf(results: Results): string {
  const parts: string[] = [];
  let y = 104;
  if (results.compared !== null) {
    const { svg, height } = shares(results, { x: margin, y, width: width - 2 * margin, height: 0 });
    parts.push(svg);
    y += height + 36;
  }
  if (results.growth !== null) {
    const half = (width - 3 * margin) / 2;
    const height = 262;
    parts.push(growth(results, { x: margin, y, width: half, height }));
    parts.push(search(results, { x: margin * 2 + half, y, width: half, height }));
    y += height + 36;
  }
  parts.push(tiles(results, { x: margin, y, width: width - 2 * margin, height: 84 }));
  y += 84 + 34;
  const subtitle = [
    results.date,
    `Node.js ${results.node.slice(1)}`,
    results.platform,
    `${results.cores} cores, the load generator on the same ones`,
    `medians of ${results.rounds} rounds`,
  ].join('  ·  ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-label="Results of the benchmark" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif">
<rect width="${width}" height="${y}" rx="14" fill="${colours.card}" stroke="${colours.line}"/>
${text(margin, 50, 'Voice Agent Service, beside bare Node.js and its alternatives', { size: 20, weight: 650 })}
${text(margin, 74, subtitle, { size: 12.5, colour: colours.quiet })}
${parts.join('\n')}
</svg>
`;
}

/** Requests per second as a share of the limit: one group for each work, one bar for each contestant. */
function shares({ compared, targets }: Results, box: Box): { svg: string; height: number } {
  const { measured, agents } = compared as NonNullable<Results['compared']>;
  const contestants = [...new Set(measured.map(({ contestant }) => contestant))].filter((name) => name !== 'limit');
  const colourOf = (name: string) => contestantColours[contestants.indexOf(name)] ?? colours.quiet;
  const groups = [
    { work: 'get', label: 'get', title: 'get, random ids' },
    { work: 'list-50', label: 'list 50', title: 'list 50, random cursors' },
    { work: 'list-200', label: 'list 200', title: 'list 200, random cursors' },
    { work: 'first-page', label: 'list, first page', title: 'list, first page' },
    { work: 'create-64', label: 'durable create', title: 'create, 64 connections' },
  ];
  const goalOf = (workTitle: string) =>
    targets.find(({ title }) => title === `${workTitle}, of the limit, ${whole(agents)} agents`)?.goal ?? null;
  const left = box.x + 118;
  const scale = (share: number) => left + share * (box.x + box.width - left);
  const top = box.y + 62;
  const parts: string[] = [];
  let y = top;
  for (const { work, label, title } of groups) {
    const limit = find(measured, 'limit', work);
    const begin = y;
    for (const name of contestants) {
      const own = find(measured, name, work);
      const share = ratioOf(own, limit, 'requestsPerSecond');
      if (own === undefined || Number.isNaN(share)) continue;
      const isService = name === 'service';
      const height = isService ? 16 : 9;
      const end = Math.max(scale(share), left + 1.5);
      parts.push(rect(left, y, end - left, height, colourOf(name), 2));
      const size = isService ? 12.5 : 10;
      const shown = isService
        ? `${share.toFixed(2)}  (${whole(own.medians.requestsPerSecond)}/s)`
        : share.toFixed(share < 0.1 ? 3 : 2);
      const weight = isService ? 650 : 400;
      const goal = goalOf(title);
      const isInside = share > widestWithLabelBeside;
      const beside = isService && goal !== null ? afterGoal(end, scale(goal)) : end + 6;
      parts.push(
        text(isInside ? end - 8 : beside, y + height - (isService ? 3.5 : 1), shown, {
          size,
          weight,
          colour: isInside ? colours.card : isService ? colours.ink : colours.quiet,
          anchor: isInside ? 'end' : 'start',
        }),
      );
      if (isService && goal !== null) parts.push(goalMark(scale(goal), y - 3, height + 6));
      y += height + 3;
    }
    parts.push(text(left - 12, (begin + y) / 2 + 2, label, { size: 13, anchor: 'end' }));
    y += 13;
  }
  const bottom = y - 6;
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      line(scale(share), top - 10, scale(share), bottom, share === 1 ? colours.quiet : colours.line) +
      text(scale(share), bottom + 15, share === 1 ? 'limit' : String(share), {
        size: 11,
        colour: colours.quiet,
        anchor: 'middle',
      }),
  );
  const heading = `Requests per second, as a share of what bare Node.js answers, ${whole(agents)} agents`;
  const legend = [
    ...contestants.map((name) => ({ name: name === 'service' ? 'this service' : name, colour: colourOf(name) })),
  ];
  return {
    svg: [
      text(box.x, box.y + 10, heading, { size: 14.5, weight: 650 }),
      legendOf(box.x, box.y + 33, legend, true),
      ...grid,
      ...parts,
    ].join('\n'),
    height: bottom + 20 - box.y,
  };
}

/** Beyond this share a figure has no room between the end of its bar and that of the plot. */
const widestWithLabelBeside = 0.8;

/** A figure beside the end of its bar, but not on the mark of the goal. */
function afterGoal(end: number, goal: number): number {
  const labelWidth = 105;
  return goal > end - 4 && goal < end + labelWidth ? goal + 8 : end + 6;
}

/** Processor time per request against that at the smallest size. */
function growth({ growth, targets }: Results, box: Box): string {
  const { sizes, measured } = growth as NonNullable<Results['growth']>;
  const works = [
    { work: 'get-warm', label: 'get, warm' },
    { work: 'list-50-warm', label: 'list 50, warm' },
    { work: 'get', label: 'get, random' },
    { work: 'list-50', label: 'list 50, random' },
  ];
  const smallest = sizes[0];
  const series = works.map(({ work, label }, index) => ({
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
  // The last size may be another kind of database, with the agents spread over workspaces: no line leads to it.
  const connected = sizes.filter(({ workspaces }) => workspaces === 1).length;
  for (const { values, colour } of series) {
    const points = values.slice(0, connected).map((value, index) => `${round(xOf(index))},${round(yOf(value))}`);
    parts.push(`<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    for (const [index, value] of values.entries()) {
      const fill = index < connected ? colour : colours.card;
      parts.push(
        `<circle cx="${round(xOf(index))}" cy="${round(yOf(value))}" r="4" fill="${fill}" stroke="${colour}" stroke-width="2"/>`,
      );
    }
  }
  return parts.join('\n');
}

/** The slowest of each kind of search, over both scripts, and first and deep pages. */
function search({ growth }: Results, box: Box): string {
  const { measured, sizes } = growth as NonNullable<Results['growth']>;
  const kinds = new Map<string, number>();
  for (const { work, medians } of measured) {
    const match = /^search (\w+, [^,]+),/.exec(work);
    if (match?.[1] !== undefined) kinds.set(match[1], Math.max(kinds.get(match[1]) ?? 0, medians.medianMs));
  }
  const goal = 5;
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
  let y = top;
  for (const [kind, ms] of kinds) {
    const height = Math.min(14, rowHeight - 6);
    parts.push(
      rect(
        left,
        y + (rowHeight - height) / 2,
        Math.max(2, xOf(ms) - left),
        height,
        ms <= goal ? colours.service : colours.bad,
        2,
      ),
    );
    parts.push(text(left - 10, y + rowHeight / 2 + 4, kind, { size: 12, anchor: 'end' }));
    // Inside, where it would stand on the line of the goal.
    const isInside = xOf(ms) < xOf(goal) && xOf(ms) + 36 > xOf(goal);
    const look = isInside ? ({ colour: colours.card, anchor: 'end' } as const) : {};
    const place = isInside ? xOf(ms) - 6 : Math.max(xOf(ms), left) + 6;
    parts.push(text(place, y + rowHeight / 2 + 4, figure(ms), { size: 11.5, weight: 600, ...look }));
    y += rowHeight;
  }
  parts.push(dashed(xOf(goal), top - 10, xOf(goal), bottom));
  parts.push(text(xOf(goal) + 5, top - 1, `≤ ${goal}`, { size: 11 }));
  return parts.join('\n');
}

/** The goals that are a single figure. */
function tiles({ targets }: Results, box: Box): string {
  const wanted: [string, string][] = [
    ['durable create, 1 connection', 'create, 1 connection'],
    ['create with the search index', 'create, with the index'],
    ['start to first answer', 'start to first answer'],
    ['resident memory', 'resident memory'],
    ['WORKERS=2 against one process, get', 'get, WORKERS=2'],
  ];
  const found = wanted.flatMap(([start, label]) => {
    const target = targets.find(({ title }) => title.startsWith(start));
    return target === undefined || target.goal === null ? [] : [{ target, label, goal: target.goal }];
  });
  const gap = 14;
  const tileWidth = (box.width - gap * (found.length - 1)) / Math.max(1, found.length);
  return found
    .map(({ target, label, goal }, index) => {
      const x = box.x + index * (tileWidth + gap);
      const value = `${figure(target.value)} ${target.unit}`;
      const verdict = `${target.isReached ? '✓' : '✗'} goal ${target.bound === 'least' ? '≥' : '≤'} ${whole(goal)} ${target.unit}`;
      return [
        rect(x, box.y, tileWidth, box.height, colours.tile, 8),
        text(x + 14, box.y + 22, label, { size: 12, colour: colours.quiet }),
        text(x + 14, box.y + 50, value, {
          size: 21,
          weight: 650,
          colour: target.isReached ? colours.good : colours.bad,
        }),
        text(x + 14, box.y + 70, verdict, {
          size: 11.5,
          colour: colours.quiet,
        }),
      ].join('');
    })
    .join('\n');
}

function find(measured: readonly Measured[], contestant: string, work: string): Measured | undefined {
  return measured.find((one) => one.contestant === contestant && one.work === work);
}

/** The median of the ratios of the rounds, as in the table. NaN where one of the two was not measured. */
function ratioOf(one: Measured | undefined, other: Measured | undefined, figure: keyof Measured['medians']): number {
  const ratios = one?.rounds.map((result, round) => result[figure] / (other?.rounds[round]?.[figure] ?? Number.NaN));
  return median(ratios ?? []);
}

function legendOf(
  x: number,
  y: number,
  entries: readonly { name: string; colour: string }[],
  hasGoal: boolean,
): string {
  let place = x;
  const parts = entries.map(({ name, colour }) => {
    const part = rect(place, y - 9, 10, 10, colour, 2) + text(place + 15, y, name, { size: 12, colour: colours.quiet });
    place += 15 + name.length * 6.6 + 12;
    return part;
  });
  if (hasGoal)
    parts.push(goalMark(place + 4, y - 10, 12), text(place + 12, y, 'goal', { size: 12, colour: colours.quiet }));
  return parts.join('');
}

function goalMark(x: number, y: number, height: number): string {
  return rect(x - 1.5, y, 3, height, colours.ink, 1);
}

function whole(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });
}

function short(count: number): string {
  return count >= 1_000_000 ? `${count / 1_000_000} M` : whole(count);
}

if (import.meta.main) {
  const file = process.argv[2] ?? '';
  writeFileSync(file.replace(/\.json$/, '.svg'), plotOf(JSON.parse(readFileSync(file, 'utf8'))));
}
