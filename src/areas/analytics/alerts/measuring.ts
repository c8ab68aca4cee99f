import type { Alert } from '../../../contract/analytics/alert.ts';
import { type AnalyticsQuery, type AnalyticsResult, analyticsQuery } from '../../../contract/analytics/query.ts';
import { AppError } from '../../../core/errors.ts';
import type { Measured } from './alert.ts';

/** Answers analytics.query. */
export type QueryFigures = (workspaceId: string, query: AnalyticsQuery) => Promise<AnalyticsResult>;

const minuteMs = 60_000;
const windowsMs = { '15m': 15 * minuteMs, '1h': 60 * minuteMs, '6h': 360 * minuteMs, '24h': 1440 * minuteMs };

/** What an alert compares, by the code of analytics.query. Null: the calls of its windows are still being filled in. */
export async function measure(
  query: QueryFigures,
  workspaceId: string,
  alert: Alert,
  now: number,
): Promise<Measured | null> {
  const windowMs = windowsMs[alert.window];
  const from = now - windowMs;
  const asked = queryOf(alert, from, now);
  const result = await query(workspaceId, asked).catch((error: unknown) => {
    // Such as a sum over several currencies: there is no value to compare.
    if (error instanceof AppError && error.code === 'UNPROCESSABLE_CONTENT') return null;
    throw error;
  });
  if (result === null) return { value: null, previous: null, calls: 0 };
  const start = alert.relative ? from - windowMs : from;
  if (result.filledFrom !== null && Date.parse(result.filledFrom) > start) return null;
  const [row] = result.rows;
  return {
    value: row?.values.value ?? null,
    previous: row?.previous?.value ?? null,
    calls: row?.values.calls ?? 0,
  };
}

function queryOf({ metric, field, filter, relative }: Alert, from: number, to: number): AnalyticsQuery {
  const of = filter === null ? {} : { filter };
  return analyticsQuery.parse({
    range: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    metrics: [
      { metric, as: 'value', ...of, ...(field !== null && { field }) },
      { metric: 'calls', as: 'calls', ...of },
    ],
    ...(relative && { compare: 'previous' }),
  });
}
