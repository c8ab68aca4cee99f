import type { Query, Result } from '../../analytics/query.ts';
import { chatReplyMedian, spokenReplyMedian } from '../../analytics/reply-metrics.ts';
import { browserZone } from '../../analytics/zone.ts';

export type Period = 'day' | 'week';

const judged = { field: 'analysis.successful', op: 'exists', value: true } as const;
const successful = { field: 'analysis.successful', op: 'eq', value: true } as const;

/** The figures of the tiles. */
export function overviewQuery(period: Period): Query {
  return {
    range: { last: period === 'day' ? '24h' : '7d' },
    timeZone: browserZone(),
    metrics: [
      'calls',
      'errorCalls',
      'successRate',
      { metric: 'calls', filter: judged, as: 'judged' },
      { metric: 'calls', filter: successful, as: 'successful' },
      spokenReplyMedian,
      chatReplyMedian,
    ],
  };
}

export interface CallSummary {
  readonly calls: number;
  /** How many ended with an error. */
  readonly failed: number;
  /** How many have an analysis that says whether they were successful. */
  readonly judged: number;
  readonly successful: number;
  readonly successRate: number | null;
  /** The median reply time of web calls and phone calls. */
  readonly spokenReplyMs: number | null;
  readonly chatReplyMs: number | null;
}

export function summaryOf({ rows: [row] }: Pick<Result, 'rows'>): CallSummary {
  const value = (name: string) => row?.values[name] ?? null;
  return {
    calls: value('calls') ?? 0,
    failed: value('errorCalls') ?? 0,
    judged: value('judged') ?? 0,
    successful: value('successful') ?? 0,
    successRate: value('successRate'),
    spokenReplyMs: value(spokenReplyMedian.as),
    chatReplyMs: value(chatReplyMedian.as),
  };
}
