import '@mantine/charts/styles.layer.css';
import { Anchor } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { createBucketFormat } from '../bucket-format.ts';
import { callsHref } from '../calls-behind.ts';
import { timesOfHour } from '../hours.ts';
import { panelsOf } from '../lines.ts';
import type { ChartKind, Group, Query, Result } from '../query.ts';
import { type Line, tableOf } from '../table.ts';
import { agentIdsOf, useLabels } from '../use-labels.ts';
import { useValueFormat } from '../use-value-format.ts';
import { BarsPlot } from './bars-plot.tsx';
import classes from './charts.module.css';
import type { Drawn } from './drawn.ts';
import { FigureTable } from './figure-table.tsx';
import { HeatPlot } from './heat-plot.tsx';
import { NumbersPlot } from './numbers-plot.tsx';
import { PointValues } from './point-tooltip.tsx';
import { chartTexts } from './texts.ts';
import { TimePlot } from './time-plot.tsx';

interface ViewChartProps {
  readonly drawn: Drawn;
  readonly chart: ChartKind;
  /** Where a tap on a chart was. */
  readonly picked: number | null;
}

/** A view: the figures of its query, as its chart. */
export function ViewChart({ drawn, chart, picked }: ViewChartProps) {
  const { query, table } = drawn;
  const panels = useMemo(() => panelsOf(query.metrics, table), [query.metrics, table]);
  const isOverTime = (query.interval ?? 'none') !== 'none';
  if (chart === 'table') return <FigureTable drawn={drawn} />;
  if (chart === 'number') return <NumbersPlot drawn={drawn} />;
  if (chart === 'heatmap' && isOfHours(query)) return <HeatPlot drawn={drawn} />;
  if (!isOverTime) return <BarsPlot drawn={drawn} />;
  const hasGroups = (query.groupBy?.length ?? 0) > 0;
  return (
    <>
      {panels.map((panel, index) => (
        <TimePlot
          key={panel.unit}
          drawn={drawn}
          panel={panel}
          height={panels.length === 1 ? 240 : index === 0 ? 144 : 88}
          hasLegend={panels.length > 1 || panel.lines.length > 1 || hasGroups || table.hasPrevious}
          hasTimes={index === panels.length - 1}
        />
      ))}
      {picked !== null && <Picked drawn={drawn} place={picked} />}
    </>
  );
}

function isOfHours({ groupBy = [] }: Query): boolean {
  return groupBy.length === 2 && groupBy.includes('dayOfWeek') && groupBy.includes('hourOfDay');
}

/** After a tap: the values stay, with the link to the calls. */
function Picked({ drawn, place }: { readonly drawn: Drawn; readonly place: number }) {
  const texts = useTexts(chartTexts);
  const href = drawn.hrefOf(place);
  return (
    <div className={classes.picked} aria-live="polite">
      <div>
        <PointValues drawn={drawn} place={place} />
      </div>
      {href !== undefined && (
        <Anchor component={Link} href={href} size="xs">
          {texts.showCalls}
        </Anchor>
      )}
    </div>
  );
}

interface DrawingOf {
  readonly title: string;
  readonly query: Query;
  readonly chart: ChartKind;
  readonly result: Result;
}

/** What a view draws of a response, and the place that was tapped. */
export function useDrawing({ title, query, chart, result }: DrawingOf): { drawn: Drawn; picked: number | null } {
  const { language } = useLanguage();
  const [, navigate] = useLocation();
  const [picked, setPicked] = useState<{ readonly place: number; readonly of: Result } | null>(null);
  const table = useMemo(() => tableOf(query, result), [query, result]);
  const labels = useLabels(agentIdsOf(table.lines.map(({ group }) => group)));
  const values = useValueFormat();
  const interval = query.interval ?? 'none';
  const buckets = useMemo(
    () => createBucketFormat(language, result.timeZone, interval),
    [language, result.timeZone, interval],
  );
  const hrefOf = (place: number, line?: Line) => {
    const bucket = table.buckets[place];
    if (bucket === undefined) return undefined;
    const spans = spansOf(bucket, line?.group ?? {}, result.timeZone);
    return callsHref({ query, group: line?.group ?? {}, spans, entry: line?.entry ?? query.metrics[0] });
  };
  const drawn: Drawn = {
    title,
    query,
    table,
    isBar: chart === 'bar',
    labels,
    buckets,
    values,
    currency: currencyOf(table.lines),
    hrefOf,
    onOpen: (place, line) => {
      const href = hrefOf(place, line);
      if (href !== undefined) navigate(href);
    },
    // A tooltip reports its place with each render: the same place must not cause another.
    onTap: (place) => setPicked((now) => (now?.place === place && now.of === result ? now : { place, of: result })),
  };
  return { drawn, picked: picked?.of === result ? picked.place : null };
}

/** An hour of a day of the week is many pieces of a range, which calls.search is told one by one. */
function spansOf(bucket: { from: string; to: string }, group: Group, timeZone: string) {
  const { dayOfWeek, hourOfDay } = group;
  if (typeof dayOfWeek !== 'number' || typeof hourOfDay !== 'number') return [bucket];
  return timesOfHour(bucket, timeZone, dayOfWeek, hourOfDay);
}

/** The only one, or none. */
function currencyOf(lines: readonly Line[]): string | null {
  const found = new Set(lines.map(({ group }) => group.currency).filter((currency) => typeof currency === 'string'));
  const [first = null] = found;
  return found.size === 1 ? first : null;
}
