import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react';
import { useLanguage } from '../language/language.tsx';
import classes from './plot.module.css';
import { type Area, areaPath, linePath, scaleOf } from './plot-geometry.ts';

export interface Series {
  readonly name: string;
  readonly color: string;
  /** One value per time; null if there is none. */
  readonly values: readonly (number | null)[];
  readonly isFilled?: boolean;
}

interface PlotProps {
  readonly title: string;
  /** The start of each interval. */
  readonly times: readonly string[];
  readonly series: readonly Series[];
  readonly formatValue: (value: number) => string;
  /** The minimum of the scale's maximum, so that small values do not look large. */
  readonly minTop: number;
}

const height = 168;
const margin = { top: 10, right: 8, bottom: 22, left: 52 };

/**
 * A line chart over time. The pointer or the arrow keys select a moment, whose values are shown above it. For screen
 * readers it is a slider with a text value, plus a table of all values.
 */
export function Plot({ title, times, series, formatValue, minTop }: PlotProps) {
  const { format } = useLanguage();
  const { ref, width } = useElementSize();
  const [picked, setPicked] = useState<number | null>(null);
  const last = times.length - 1;
  const area: Area = {
    left: margin.left,
    top: margin.top,
    right: Math.max(width, 120) - margin.right,
    bottom: height - margin.bottom,
  };
  const scale = scaleOf(
    area,
    times.length,
    series.flatMap(({ values }) => values),
    minTop,
  );
  const shown = picked ?? newestOf(times, series);
  const words = series.map(({ name, values }) => `${name} ${valueText(values[shown], formatValue)}`).join(', ');

  const pick = (event: PointerEvent) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    setPicked(scale.indexAt(event.clientX - left));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = stepFor(event.key, shown, last);
    if (next === null) return;
    event.preventDefault();
    setPicked(next);
  };
  return (
    <figure className={classes.plot}>
      <figcaption className={classes.legend}>
        <span className={classes.time}>{times[shown] !== undefined && format.time(times[shown])}</span>
        {series.map(({ name, color, values }) => (
          <span key={name} className={classes.entry}>
            <span className={classes.swatch} style={{ background: color }} />
            {name} <b>{valueText(values[shown], formatValue)}</b>
          </span>
        ))}
      </figcaption>
      <div
        ref={ref}
        className={classes.canvas}
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={Math.max(0, shown)}
        aria-valuetext={times[shown] === undefined ? words : `${format.time(times[shown])}: ${words}`}
        onPointerMove={pick}
        onPointerLeave={() => setPicked(null)}
        onBlur={() => setPicked(null)}
        onKeyDown={onKeyDown}
      >
        <Drawing area={area} scale={scale} times={times} series={series} formatValue={formatValue} picked={picked} />
      </div>
      <DataTable title={title} times={times} series={series} formatValue={formatValue} />
    </figure>
  );
}

/** If nothing is selected: the latest moment with a value. */
function newestOf(times: readonly string[], series: readonly Series[]): number {
  const newest = times.findLastIndex((_, index) => series.some(({ values }) => typeof values[index] === 'number'));
  return newest === -1 ? times.length - 1 : newest;
}

function valueText(value: number | null | undefined, formatValue: (value: number) => string): string {
  return value === null || value === undefined ? '–' : formatValue(value);
}

function stepFor(key: string, shown: number, last: number): number | null {
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, shown - 1);
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, shown + 1);
  if (key === 'Home') return 0;
  return key === 'End' ? last : null;
}

interface DrawingProps extends Pick<PlotProps, 'times' | 'series' | 'formatValue'> {
  readonly area: Area;
  readonly scale: ReturnType<typeof scaleOf>;
  readonly picked: number | null;
}

function Drawing({ area, scale, times, series, formatValue, picked }: DrawingProps) {
  const { format } = useLanguage();
  const gradient = useId();
  return (
    <svg width="100%" height={height} aria-hidden="true" focusable="false">
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line x1={area.left} x2={area.right} y1={scale.y(tick)} y2={scale.y(tick)} className={classes.grid} />
          <text x={area.left - 8} y={scale.y(tick) + 4} textAnchor="end" className={classes.tick}>
            {formatValue(tick)}
          </text>
        </g>
      ))}
      {scale.timeTicks.map((index, place) => (
        <text
          key={index}
          x={scale.x(index)}
          y={height - 6}
          textAnchor={place === 0 ? 'start' : place === scale.timeTicks.length - 1 ? 'end' : 'middle'}
          className={classes.tick}
        >
          {times[index] !== undefined && format.time(times[index])}
        </text>
      ))}
      {series.map(({ name, color, values, isFilled = false }, place) => (
        <g key={name}>
          {isFilled && (
            <>
              <linearGradient id={`${gradient}${place}`} x1="0" y1="0" x2="0" y2="1">
                <stop offset="0" stopColor={color} stopOpacity="0.28" />
                <stop offset="1" stopColor={color} stopOpacity="0.02" />
              </linearGradient>
              <path d={areaPath(values, scale, area)} fill={`url(#${gradient}${place})`} />
            </>
          )}
          <path d={linePath(values, scale)} stroke={color} className={classes.line} />
          {picked !== null && typeof values[picked] === 'number' && (
            <circle cx={scale.x(picked)} cy={scale.y(values[picked])} r={3.5} fill={color} />
          )}
        </g>
      ))}
      {picked !== null && (
        <line x1={scale.x(picked)} x2={scale.x(picked)} y1={area.top} y2={area.bottom} className={classes.cursor} />
      )}
    </svg>
  );
}

/** All values as a table, for screen readers. */
function DataTable({
  title,
  times,
  series,
  formatValue,
}: Pick<PlotProps, 'title' | 'times' | 'series' | 'formatValue'>) {
  const { format } = useLanguage();
  return (
    <div className="visually-hidden">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <td />
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((at, index) => (
            <tr key={at}>
              <th scope="row">{format.time(at)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{valueText(values[index], formatValue)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
