import { Skeleton } from '@mantine/core';
import { useLanguage, useTexts } from '../language/language.tsx';
import { ErrorState } from '../parts/error-state.tsx';
import { Tile, Tiles } from '../parts/tile.tsx';
import { callsHref } from './calls-behind.ts';
import { unitOfEntry } from './metric.ts';
import { nameOf, type Query } from './query.ts';
import { tileMetrics } from './reply-metrics.ts';
import { changeOf } from './table.ts';
import { tileTexts } from './tile-texts.ts';
import type { useFigures } from './use-figures.ts';
import { useValueFormat } from './use-value-format.ts';

interface FigureTilesProps {
  readonly query: Query;
  readonly totals: ReturnType<typeof useFigures>;
}

/** The figures of the whole period, each with the calls behind it. */
export function FigureTiles({ query, totals: { data, error, refetch } }: FigureTilesProps) {
  const { texts: shared } = useLanguage();
  const own = useTexts(tileTexts);
  const format = useValueFormat();
  const labels = [own.calls, own.connectRate, own.success, own.spokenReplyTime, own.chatReplyTime, own.toolErrors];
  if (data === undefined) {
    if (error !== null) return <ErrorState error={error} onRetry={refetch} />;
    return (
      <div aria-busy="true">
        <span className="visually-hidden" role="status">
          {shared.loading}
        </span>
        <Tiles isSix>
          {tileMetrics.map((entry) => (
            <Skeleton key={nameOf(entry)} height={104} radius="lg" />
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
        const unit = unitOfEntry(entry, query.metrics);
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
              query.compare === undefined || before == null
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
