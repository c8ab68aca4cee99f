/**
 * Plots the results.
 *
 *   node bench/plot.ts bench/results/<date>.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Results } from './figures.ts';
import { growth, search } from './plot-growth.ts';
import { shares } from './plot-shares.ts';
import { tiles } from './plot-tiles.ts';
import { colours, text } from './svg.ts';

const width = 960;
const margin = 40;

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
  const { svg, height } = tiles(results, { x: margin, y, width: width - 2 * margin, height: 0 });
  parts.push(svg);
  y += height + 34;
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

if (import.meta.main) {
  const file = process.argv[2] ?? '';
  writeFileSync(file.replace(/\.json$/, '.svg'), plotOf(JSON.parse(readFileSync(file, 'utf8'))));
}
