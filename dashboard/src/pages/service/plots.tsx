import { useMemo } from 'react';
import type { Figures } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { Plot, type Series } from '../../parts/plot.tsx';
import classes from './service.module.css';
import { ratesPerMinute } from './summary.ts';
import { serviceTexts } from './texts.ts';

const colors = ['var(--app-plot-1)', 'var(--app-plot-2)', 'var(--app-plot-3)'] as const;

interface PlotsProps {
  readonly figures: Figures;
  /** In milliseconds since 1970. */
  readonly readAt: number;
}

export function Plots({ figures, readAt }: PlotsProps) {
  const { format } = useLanguage();
  const texts = useTexts(serviceTexts);
  const { times, requests, issues, latency } = useSeries(figures, readAt);
  return (
    <div className={classes.plots}>
      <Card title={texts.requestsPlot}>
        <Plot title={texts.requestsPlot} times={times} series={requests} formatValue={format.rounded} minTop={3} />
      </Card>
      <Card title={texts.failuresPlot}>
        <Plot title={texts.failuresPlot} times={times} series={issues} formatValue={format.rounded} minTop={3} />
      </Card>
      <Card title={texts.latencyPlot}>
        <Plot title={texts.latencyPlot} times={times} series={latency} formatValue={format.milliseconds} minTop={3} />
      </Card>
    </div>
  );
}

function useSeries(figures: Figures, readAt: number) {
  const texts = useTexts(serviceTexts);
  return useMemo(() => {
    const series = (name: string, place: 0 | 1 | 2, values: (number | null)[], isFilled = false): Series => ({
      name,
      color: colors[place],
      values,
      isFilled,
    });
    const { points } = figures;
    return {
      times: points.map(({ at }) => at),
      requests: [series(texts.requests, 0, ratesPerMinute(figures, readAt), true)],
      issues: [
        series(
          texts.refused,
          1,
          points.map((point) => point.refusals),
        ),
        series(
          texts.failed,
          2,
          points.map((point) => point.errors),
        ),
      ],
      latency: [
        series(
          texts.half,
          0,
          points.map((point) => point.p50Ms),
        ),
        series(
          texts.most,
          1,
          points.map((point) => point.p95Ms),
        ),
        series(
          texts.nearlyAll,
          2,
          points.map((point) => point.p99Ms),
        ),
      ],
    };
  }, [figures, readAt, texts]);
}
