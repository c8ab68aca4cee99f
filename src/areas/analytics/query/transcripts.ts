import type { AnalyticsQuery } from '../../../contract/analytics/query.ts';
import { unprocessable } from '../../../core/errors.ts';
import { throwIssues } from '../../../core/issues.ts';
import { transcriptIssues } from '../../../core/transcript-filter.ts';

/** Figures are computed of facts, which have no content. `path`: where the query is in the body. */
export function refuseTranscripts(
  { filter, metrics }: Pick<AnalyticsQuery, 'filter' | 'metrics'>,
  path: readonly string[] = [],
): void {
  const ofMetrics = metrics.flatMap((metric, index) =>
    typeof metric === 'object' && 'filter' in metric
      ? transcriptIssues(metric.filter, [...path, 'metrics', index, 'filter'])
      : [],
  );
  throwIssues([...transcriptIssues(filter, [...path, 'filter']), ...ofMetrics], unprocessable);
}
