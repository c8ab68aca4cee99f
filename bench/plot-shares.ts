import type { Measured, Results } from './figures.ts';
import { type Box, find, goalMark, legendOf, ratioOf, whole } from './plot-parts.ts';
import { colours, line, rect, text } from './svg.ts';

const contestantColours = ['#2457d6', '#8fa3c8', '#b9a7d3', '#d7c08f'];
const groups = [
  { work: 'get', label: 'get', title: 'get, random ids' },
  { work: 'list-50', label: 'list 50', title: 'list 50, random cursors' },
  { work: 'list-200', label: 'list 200', title: 'list 200, random cursors' },
  { work: 'first-page', label: 'list, first page', title: 'list, first page' },
  { work: 'create-64', label: 'durable create', title: 'create, 64 connections' },
];

/** Maps a share of the limit to a position on the page. */
type Scale = (share: number) => number;

/** Requests per second as a share of the limit: one group per workload, one bar per subject. */
export function shares({ compared, targets }: Results, box: Box): { svg: string; height: number } {
  const { measured, agents } = compared as NonNullable<Results['compared']>;
  const subjects = [...new Set(measured.map(({ subject }) => subject))]
    .filter((name) => name !== 'limit')
    .map((name, index) => ({ name, colour: contestantColours[index] ?? colours.quiet }));
  const left = box.x + 118;
  const scale: Scale = (share) => left + share * (box.x + box.width - left);
  const top = box.y + 62;
  const parts: string[] = [];
  let y = top;
  for (const { work, label, title } of groups) {
    const goalTitle = `${title}, of the limit, ${whole(agents)} agents`;
    const goal = targets.find((target) => target.title === goalTitle)?.goal ?? null;
    const limit = find(measured, 'limit', work);
    const begin = y;
    for (const { name, colour } of subjects) {
      const own = find(measured, name, work);
      const share = ratioOf(own, limit, 'requestsPerSecond');
      if (own === undefined || Number.isNaN(share)) continue;
      const isService = name === 'service';
      parts.push(isService ? serviceBar({ own, share, goal, colour, scale, y }) : peerBar({ share, colour, scale, y }));
      y += (isService ? serviceHeight : peerHeight) + 3;
    }
    parts.push(text(left - 12, (begin + y) / 2 + 2, label, { size: 13, anchor: 'end' }));
    y += 13;
  }
  const bottom = y - 6;
  const heading = `Requests per second, as a share of what bare Node.js answers, ${whole(agents)} agents`;
  const legend = subjects.map(({ name, colour }) => ({ name: name === 'service' ? 'this service' : name, colour }));
  return {
    svg: [
      text(box.x, box.y + 10, heading, { size: 14.5, weight: 650 }),
      legendOf(box.x, box.y + 33, legend, true),
      ...grid(scale, top, bottom),
      ...parts,
    ].join('\n'),
    height: bottom + 20 - box.y,
  };
}

interface Bar {
  readonly share: number;
  readonly colour: string;
  readonly scale: Scale;
  readonly y: number;
}

const serviceHeight = 16;
const peerHeight = 9;

function serviceBar({ own, share, goal, colour, scale, y }: Bar & { own: Measured; goal: number | null }): string {
  const left = scale(0);
  const end = Math.max(scale(share), left + 1.5);
  const label = `${share.toFixed(2)}  (${whole(own.medians.requestsPerSecond)}/s)`;
  const isInside = share > widestWithLabelBeside;
  const beside = goal === null ? end + 6 : afterGoal(end, scale(goal));
  const look = { size: 12.5, weight: 650 };
  const parts = [
    rect(left, y, end - left, serviceHeight, colour, 2),
    isInside
      ? text(end - 8, y + serviceHeight - 3.5, label, { ...look, colour: colours.card, anchor: 'end' })
      : text(beside, y + serviceHeight - 3.5, label, look),
    ...(goal === null ? [] : [goalMark(scale(goal), y - 3, serviceHeight + 6)]),
  ];
  return parts.join('\n');
}

function peerBar({ share, colour, scale, y }: Bar): string {
  const left = scale(0);
  const end = Math.max(scale(share), left + 1.5);
  const label = share.toFixed(share < 0.1 ? 3 : 2);
  return [
    rect(left, y, end - left, peerHeight, colour, 2),
    text(end + 6, y + peerHeight - 1, label, { size: 10, colour: colours.quiet }),
  ].join('\n');
}

function grid(scale: Scale, top: number, bottom: number): string[] {
  return [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      line(scale(share), top - 10, scale(share), bottom, share === 1 ? colours.quiet : colours.line) +
      text(scale(share), bottom + 15, share === 1 ? 'limit' : String(share), {
        size: 11,
        colour: colours.quiet,
        anchor: 'middle',
      }),
  );
}

/** Above this share there is no room for the label between the end of the bar and the edge of the plot. */
const widestWithLabelBeside = 0.8;

/** The position of a label after the end of its bar, without overlapping the target mark. */
function afterGoal(end: number, goal: number): number {
  const labelWidth = 105;
  return goal > end - 4 && goal < end + labelWidth ? goal + 8 : end + 6;
}
