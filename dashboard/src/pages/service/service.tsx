import { SegmentedControl, Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Figures } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { Tiles } from '../../parts/tile.tsx';
import { useClient } from '../../session/use-session.ts';
import { Plots } from './plots.tsx';
import classes from './service.module.css';
import { summarize } from './summary.ts';
import { serviceTexts } from './texts.ts';
import { Health, RequestTiles } from './tiles.tsx';

type Period = 'hour' | 'day';

const refreshMs = 10_000;

/** Request statistics of the API: requests, errors and latency. */
export function Service() {
  const { description, period: label, hour, day } = useTexts(serviceTexts);
  const [period, setPeriod] = useState<Period>('hour');
  const choice = (
    <SegmentedControl
      aria-label={label}
      value={period}
      onChange={(value) => setPeriod(value as Period)}
      data={[
        { value: 'hour', label: hour },
        { value: 'day', label: day },
      ]}
    />
  );
  return (
    <>
      <PageHeader description={description} actions={choice} />
      <ScopeGuard scope="agents:read">
        <RequestStatistics period={period} />
      </ScopeGuard>
    </>
  );
}

function RequestStatistics({ period }: { readonly period: Period }) {
  const client = useClient();
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey: ['figures', period],
    queryFn: async ({ signal }) => await client.figures.get({ period }, { signal }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });
  if (data !== undefined) return <Measured figures={data} readAt={dataUpdatedAt} />;
  if (error === null) return <Skeletons />;
  return (
    <Card isFlush>
      <ErrorState error={error} onRetry={refetch} />
    </Card>
  );
}

function Measured({ figures, readAt }: { readonly figures: Figures; readonly readAt: number }) {
  const summary = summarize(figures);
  return (
    <>
      <Health summary={summary} period={figures.period} />
      <RequestTiles figures={figures} summary={summary} />
      <Plots figures={figures} readAt={readAt} />
    </>
  );
}

/** As large as the content that replaces it, to avoid layout shifts. */
function Skeletons() {
  const { texts } = useLanguage();
  return (
    <div aria-busy="true">
      <span className="visually-hidden" role="status">
        {texts.loading}
      </span>
      <Skeleton height={64} radius="lg" mb="md" />
      <Tiles>
        {['agents', 'requests', 'refused', 'latency'].map((name) => (
          <Skeleton key={name} height={104} radius="lg" />
        ))}
      </Tiles>
      <div className={classes.plots}>
        {['requests', 'failures', 'latency'].map((name) => (
          <Skeleton key={name} height={254} radius="lg" />
        ))}
      </div>
    </div>
  );
}
