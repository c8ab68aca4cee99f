/** The plot area in pixels. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Scale {
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
  readonly indexAt: (x: number) => number;
  /** Round tick values from 0 to the maximum. */
  readonly ticks: readonly number[];
  /** The times labelled on the x axis. */
  readonly timeTicks: readonly number[];
}

type Values = readonly (number | null)[];

export function scaleOf(area: Area, count: number, values: Values, minTop: number): Scale {
  const highest = values.reduce<number>((top, value) => Math.max(top, value ?? 0), minTop);
  const step = roundStep(highest / 3);
  const steps = Math.ceil(highest / step - 1e-9);
  const top = steps * step;
  const last = Math.max(1, count - 1);
  const width = area.right - area.left;
  const labels = Math.max(2, Math.min(7, Math.floor(width / 72)));
  return {
    x: (index) => area.left + (index / last) * width,
    y: (value) => area.bottom - (value / top) * (area.bottom - area.top),
    indexAt: (x) => Math.max(0, Math.min(count - 1, Math.round(((x - area.left) / width) * last))),
    ticks: Array.from({ length: steps + 1 }, (_, place) => place * step),
    timeTicks: count < 2 ? [] : Array.from({ length: labels }, (_, place) => Math.round((place / (labels - 1)) * last)),
  };
}

/** The next 1, 2 or 5 times a power of ten. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = least / power;
  return (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10) * power;
}

/** Missing values are gaps; an isolated value is drawn as a short stroke, which is more visible than a dot. */
export function linePath(values: Values, scale: Scale): string {
  return runsOf(values)
    .map((run) => {
      const points = run.map(([index, value]) => `${round(scale.x(index))} ${round(scale.y(value))}`);
      return points.length === 1 ? `M${points[0]}m-1.5 0h3` : `M${points.join('L')}`;
    })
    .join('');
}

export function areaPath(values: Values, scale: Scale, area: Area): string {
  return runsOf(values)
    .filter((run) => run.length > 1)
    .map((run) => {
      const points = run.map(([index, value]) => `${round(scale.x(index))} ${round(scale.y(value))}`);
      const [first, last] = [run[0], run.at(-1)] as [[number, number], [number, number]];
      return `M${round(scale.x(first[0]))} ${area.bottom}L${points.join('L')}L${round(scale.x(last[0]))} ${area.bottom}Z`;
    })
    .join('');
}

function runsOf(values: Values): [index: number, value: number][][] {
  const runs: [number, number][][] = [];
  let run: [number, number][] | null = null;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      run = null;
      continue;
    }
    if (run === null) {
      run = [];
      runs.push(run);
    }
    run.push([index, value]);
  }
  return runs;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
