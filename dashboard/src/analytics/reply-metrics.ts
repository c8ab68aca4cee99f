import type { MetricEntry, MetricName, RequestedMetric } from './query.ts';

/** A text is there sooner than a sound: times of chats and of spoken calls have no figure in common. */
export const isSpoken = { field: 'type', op: 'ne', value: 'chat' } as const;
export const isChat = { field: 'type', op: 'eq', value: 'chat' } as const;

const spoken = (metric: MetricName, as: string) => ({ metric, filter: isSpoken, as }) satisfies MetricEntry;
const chat = (metric: MetricName, as: string) => ({ metric, filter: isChat, as }) satisfies MetricEntry;

export const spokenReplyMedian = spoken('latency.e2eMs.p50', 'spokenReplyMedian');
export const spokenReplyHigh = spoken('latency.e2eMs.p95', 'spokenReplyHigh');
export const spokenDuration = spoken('durationMs.avg', 'spokenDuration');
export const chatReplyMedian = chat('latency.e2eMs.p50', 'chatReplyMedian');
export const chatReplyHigh = chat('latency.e2eMs.p95', 'chatReplyHigh');
export const chatDuration = chat('durationMs.avg', 'chatDuration');

/** The figures of an agent, and those above all charts. */
export const tileMetrics: readonly RequestedMetric[] = [
  'calls',
  'connectRate',
  'successRate',
  spokenReplyMedian,
  chatReplyMedian,
  'toolErrorRate',
];

/** How two versions of an agent are compared. */
export const versionMetrics: readonly RequestedMetric[] = [
  'calls',
  'connectRate',
  'successRate',
  spokenReplyMedian,
  spokenReplyHigh,
  chatReplyMedian,
  chatReplyHigh,
  'callerInterruptionRate',
  'toolErrorRate',
  spokenDuration,
  chatDuration,
];
