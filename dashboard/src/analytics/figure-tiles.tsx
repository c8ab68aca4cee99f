import { Skeleton } from '@mantine/core';
import { useLanguage, useTexts } from '../language/language.tsx';
import { ErrorState } from '../parts/error-state.tsx';
import { Tile, Tiles } from '../parts/tile.tsx';
import { callsHref } from './calls-behind.ts';
import { unitOf } from './metric.ts';
import { type MetricName, nameOf, type Query } from './query.ts';
import { changeOf } from './table.ts';
import { tileTexts } from './tile-texts.ts';
import type { useFigures } from './use-figures.ts';
import { useValueFormat } from './use-value-format.ts';

export const tileMetrics: readonly MetricName[] = [
  'calls',
  'connectRate',
  'successRate',
  'latency.e2eMs.p50',
  'latency.e2eMs.p95',
  'toolErrorRate',
];

interface FigureTilesProps {
  readonly query: Query;
  readonly totals: ReturnType<typeof useFigures>;
}

/** The figures of the whole period, each with the calls behind it. */
export function FigureTiles({ query, totals: { data, error, refetch } }: FigureTilesProps) {
  const { texts: shared } = useLanguage();
  const own = useTexts(tileTexts);
  const format = useValueFormat();
  const labels = [own.calls, own.connectRate, own.success, own.replyTime, own.replyTimeHigh, own.toolErrors];
  if (data === undefined) {
    if (error !== null) return <ErrorState error={error} onRetry={refetch} />;
    return (
      <div aria-busy="true">
        <span className="visually-hidden" role="status">
          {shared.loading}
        </span>
        <Tiles isSix>
          {tileMetrics.map((name) => (
            <Skeleton key={name} height={104} radius="lg" />
          ))}
        </Tiles>
      </div>
    );
  }
  const row = data.rows[0];
  return (
    <Tiles isSix>
      {query.metrics.map((entry, index) => {
        const name = nameOf(entry);
        const unit = unitOf(name);
        const before = row?.previous?.[name];
        const change = changeOf(row?.values[name], before);
        const text = format.value(before, unit);
        return (
          <Tile
            key={name}
            label={labels[index] ?? name}
            value={format.value(row?.values[name], unit)}
            href={callsHref({ query, group: {}, spans: [data.range], entry })}
            more={
              query.compare === undefined
                ? undefined
                : change === null
                  ? own.onlyBefore(text)
                  : own.before(text, format.change(change))
            }
          />
        );
      })}
    </Tiles>
  );
}
