import type { Results } from './figures.ts';
import { type Box, whole } from './plot-parts.ts';
import { figure } from './report.ts';
import { colours, rect, text } from './svg.ts';

const tilesInRow = 5;
const tileHeight = 84;
const gap = 14;

/** The targets that are a single figure, in rows. */
export function tiles({ targets, large }: Results, box: Box): { svg: string; height: number } {
  const largeSize = `${whole(large?.agents ?? 0)} agents`;
  // The start of the target's title, and the label of its tile.
  const wanted: [string, string][] = [
    [`list 50, random cursors, of the limit, ${largeSize}`, `list 50, ${largeSize}`],
    [`list 200, random cursors, of the limit, ${largeSize}`, `list 200, ${largeSize}`],
    ['create, 1 connection', 'create, 1 connection'],
    ['create with the search index', 'create, with the index'],
    ['start to first answer', 'start to first answer'],
    ['resident memory, idle', 'memory, idle'],
    ['resident memory with', 'memory, connected'],
    ['resident memory after', 'memory, after the bench'],
    ['WORKERS=2 against one process, get', 'get, WORKERS=2'],
  ];
  const found = wanted.flatMap(([start, label]) => {
    const target = targets.find(({ title }) => title.startsWith(start));
    return target === undefined ? [] : [{ target, label }];
  });
  const width = (box.width - gap * (tilesInRow - 1)) / tilesInRow;
  const svg = found.map(({ target, label }, index) => {
    const x = box.x + (index % tilesInRow) * (width + gap);
    const y = box.y + Math.floor(index / tilesInRow) * (tileHeight + gap);
    return tile(target, label, { x, y, width, height: tileHeight });
  });
  const rows = Math.ceil(found.length / tilesInRow);
  return { svg: svg.join('\n'), height: rows * (tileHeight + gap) - gap };
}

function tile({ value, unit, bound, goal, isReached }: Results['targets'][number], label: string, box: Box): string {
  const verdict =
    goal === null ? '' : `${isReached ? '✓' : '✗'} goal ${bound === 'least' ? '≥' : '≤'} ${whole(goal)} ${unit}`;
  const colour = isReached === false ? colours.bad : colours.good;
  return [
    rect(box.x, box.y, box.width, box.height, colours.tile, 8),
    text(box.x + 14, box.y + 22, label, { size: 12, colour: colours.quiet }),
    text(box.x + 14, box.y + 50, `${figure(value)} ${unit}`, { size: 21, weight: 650, colour }),
    text(box.x + 14, box.y + 70, verdict, { size: 11.5, colour: colours.quiet }),
  ].join('');
}
