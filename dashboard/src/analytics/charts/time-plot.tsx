import { CompositeChart } from '@mantine/charts';
import { type KeyboardEvent, type ReactElement, useMemo, useRef } from 'react';
import { type DotItemDotProps, Rectangle, type RectangleProps } from 'recharts';
import { colorOf, isAlone, type Panel, type Point, pointsOf } from '../lines.ts';
import type { Table } from '../table.ts';
import classes from './charts.module.css';
import type { Drawn } from './drawn.ts';
import { Legend } from './legend.tsx';
import { PointTooltip } from './point-tooltip.tsx';

interface TimePlotProps {
  readonly drawn: Drawn;
  readonly panel: Panel;
  readonly height: number;
  /** A legend is of no use for a single line, unless another panel is beside it. */
  readonly hasLegend: boolean;
  /** Only the last panel names the times. */
  readonly hasTimes: boolean;
}

/** A click, or Enter, lists the calls of a point. A tap shows its values, and the link to its calls. */
export function TimePlot({ drawn, panel, height, hasLegend, hasTimes }: TimePlotProps) {
  const { table, title, isBar, buckets, values, currency, onOpen, onTap } = drawn;
  const points = useMemo(() => pointsOf(table, panel.lines), [table, panel.lines]);
  const active = useRef<number | null>(null);
  const pointer = useRef('mouse');
  const isBars = isBar && panel.unit !== 'ratio' && panel.unit !== 'milliseconds';
  const bucketAt = (place: unknown) => table.buckets[Number(place)];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && active.current !== null) onOpen(active.current);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the chart in it takes the focus.
    <div
      onKeyDown={onKeyDown}
      onPointerDownCapture={({ pointerType }) => {
        pointer.current = pointerType;
      }}
    >
      {hasLegend && <Legend drawn={drawn} panel={panel} isBars={isBars} />}
      <CompositeChart
        h={height}
        data={points as Point[]}
        dataKey="place"
        series={seriesOf(panel, table, isBars)}
        withDots={false}
        connectNulls={false}
        curveType="linear"
        strokeWidth={2}
        gridAxis="x"
        tickLine="none"
        maxBarWidth={28}
        withXAxis={hasTimes}
        xAxisProps={{
          tickFormatter: (place) => textOf(bucketAt(place), buckets.short),
          minTickGap: 28,
          interval: 'equidistantPreserveStart',
          height: 22,
        }}
        yAxisProps={{
          width: 54,
          allowDecimals: panel.unit === 'ratio' || panel.unit === 'micros',
          domain: domainOf(panel),
          tickCount: height < 130 ? 3 : 5,
          tickFormatter: (value) => values.short(Number(value), panel.unit, currency),
        }}
        lineProps={({ name }) => lineProps(name, points)}
        barProps={({ name }) => ({
          stackId: 'all',
          shape: bar,
          onClick: (_, place, event) => {
            if (pointer.current === 'touch') return;
            event.stopPropagation();
            onOpen(place, panel.lines[Number(name.slice(1))]);
          },
        })}
        composedChartProps={{
          title,
          margin: { top: 6, right: 6, bottom: 0, left: 0 },
          className: classes.clickable as string,
          onClick: ({ activeLabel }) => {
            if (activeLabel !== undefined && pointer.current !== 'touch') onOpen(Number(activeLabel));
          },
        }}
        tooltipProps={{
          content: ({ active: isActive, label }) => (
            <PointTooltip
              drawn={drawn}
              place={isActive && label !== undefined ? Number(label) : null}
              onPlace={(place) => {
                active.current = place;
                if (place !== null && pointer.current === 'touch') onTap(place);
              }}
            />
          ),
          wrapperStyle: { zIndex: 5 },
        }}
      />
    </div>
  );
}

function textOf<Value>(value: Value | undefined, format: (value: Value) => string): string {
  return value === undefined ? '' : format(value);
}

type Series = Parameters<typeof CompositeChart>[0]['series'];

/** The period before lies behind everything else. It is not drawn beside a stack. */
function seriesOf({ lines }: Panel, { hasPrevious, buckets }: Table, isBars: boolean): Series {
  const isRunning = buckets.some((bucket) => bucket.isRunning);
  const colors = lines.map(colorOf);
  const before =
    hasPrevious && !(isBars && lines.length > 1)
      ? colors.map((color, index) => ({ name: `p${index}`, color, type: 'line' as const, strokeDasharray: '2 3' }))
      : [];
  if (isBars) return [...colors.map((color, index) => ({ name: `b${index}`, color, type: 'bar' as const })), ...before];
  return [
    ...before,
    ...colors.flatMap((color, index) => [
      { name: `s${index}`, color, type: 'line' as const },
      ...(isRunning ? [{ name: `r${index}`, color, type: 'line' as const, strokeDasharray: '5 4' }] : []),
    ]),
  ];
}

function lineProps(name: string, points: readonly Point[]) {
  const isBefore = name.startsWith('p');
  return {
    strokeOpacity: isBefore ? 0.55 : 1,
    strokeWidth: isBefore ? 1.5 : 2,
    activeDot: !isBefore && { r: 4 },
    // A line needs two values; a single one is a dot.
    dot: ({ cx, cy, index, stroke }: DotItemDotProps): ReactElement =>
      !isBefore && isAlone(points, name, index) ? (
        <circle key={index} cx={cx} cy={cy} r={3} fill={stroke} />
      ) : (
        <g key={index} />
      ),
  };
}

/** What is not complete is lighter, with a dashed frame. */
function bar(props: RectangleProps & { readonly payload?: Point }) {
  const isRunning = props.payload?.isRunning === 1;
  return (
    <Rectangle
      {...props}
      {...(isRunning && { fillOpacity: 0.35, stroke: props.fill ?? 'none', strokeOpacity: 1, strokeDasharray: '3 3' })}
    />
  );
}

/** Most shares are read against all; small ones would lie on the ground. */
function domainOf({ unit, lines }: Panel): [number, number | 'auto'] {
  const top = Math.max(
    0,
    ...lines.flatMap(({ values, previous }) => [...values, ...previous].map((value) => value ?? 0)),
  );
  if (unit === 'ratio' && top > 0.5 && top <= 1) return [0, 1];
  return top === 0 ? [0, unit === 'ratio' ? 0.1 : 4] : [0, 'auto'];
}
