import type { ChartKind, Query } from './query.ts';
import { isChat, isSpoken } from './reply-metrics.ts';

export const viewNames = [
  'calls',
  'latency',
  'chatLatency',
  'success',
  'stages',
  'endReasons',
  'sentiment',
  'interruptions',
  'talk',
  'pauses',
  'tools',
  'hours',
  'cost',
] as const;
export type ViewName = (typeof viewNames)[number];

export interface BuiltInView {
  readonly name: ViewName;
  readonly chart: ChartKind;
  /** Over time, or over the whole range. */
  readonly isOverTime: boolean;
  readonly query: Pick<Query, 'metrics' | 'groupBy' | 'filter' | 'order'>;
}

const analyzed = {
  metric: 'calls',
  filter: { field: 'analysis.successful', op: 'exists', value: true },
  as: 'analyzedCalls',
} as const;

const stages = ['endpointingMs', 'sttMs', 'knowledgeMs', 'llmFirstTokenMs', 'ttsFirstAudioMs', 'ownMs'] as const;

/** The views that need not be saved. */
export const builtInViews: readonly BuiltInView[] = [
  { name: 'calls', chart: 'bar', isOverTime: true, query: { metrics: ['calls', 'connectRate'] } },
  {
    name: 'latency',
    chart: 'line',
    isOverTime: true,
    query: { metrics: ['latency.e2eMs.p50', 'latency.e2eMs.p95', 'latency.e2eMs.p99'], filter: isSpoken },
  },
  {
    name: 'chatLatency',
    chart: 'line',
    isOverTime: true,
    query: { metrics: ['latency.e2eMs.p50', 'latency.e2eMs.p95', 'latency.e2eMs.p99'], filter: isChat },
  },
  {
    name: 'success',
    chart: 'bar',
    isOverTime: false,
    query: {
      metrics: ['successRate', analyzed],
      groupBy: ['agentId', 'agentVersion'],
      filter: { field: 'analysis.successful', op: 'exists', value: true },
      order: { by: 'analyzedCalls', direction: 'desc' },
    },
  },
  {
    name: 'stages',
    chart: 'bar',
    isOverTime: false,
    query: {
      metrics: stages.flatMap((stage) => [`latency.${stage}.p50`, `latency.${stage}.p95`] as const),
      filter: isSpoken,
    },
  },
  { name: 'endReasons', chart: 'bar', isOverTime: false, query: { metrics: ['calls'], groupBy: ['endReason'] } },
  {
    name: 'sentiment',
    chart: 'bar',
    isOverTime: true,
    query: {
      metrics: ['calls'],
      groupBy: ['analysis.sentiment'],
      filter: { field: 'analysis.sentiment', op: 'exists', value: true },
    },
  },
  {
    name: 'interruptions',
    chart: 'line',
    isOverTime: true,
    query: { metrics: ['callerInterruptionRate', 'agentInterruptionRate'] },
  },
  { name: 'talk', chart: 'line', isOverTime: true, query: { metrics: ['conversation.talkRatio.avg'] } },
  {
    name: 'pauses',
    chart: 'line',
    isOverTime: true,
    query: { metrics: ['conversation.deadAirMs.avg', 'conversation.firstWordMs.p50'] },
  },
  { name: 'tools', chart: 'bar', isOverTime: true, query: { metrics: ['toolCalls.sum', 'toolErrorRate'] } },
  {
    name: 'hours',
    chart: 'heatmap',
    isOverTime: false,
    query: { metrics: ['calls'], groupBy: ['dayOfWeek', 'hourOfDay'] },
  },
  {
    name: 'cost',
    chart: 'bar',
    isOverTime: false,
    query: { metrics: ['cost.sum', 'calls', 'unpricedCalls'], groupBy: ['agentId', 'currency'] },
  },
];
