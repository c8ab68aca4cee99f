import { z } from 'zod';
import type { AnalyticsQuery } from '../../sdk/src/index.ts';
import { aggregates, metricNames } from '../contract/analytics/metrics.ts';
import { queryAnalytics } from '../contract/analytics/query.ts';
import { defineTool, type Tool } from './tool.ts';

/** Metrics with every aggregate are named once: all of them would take as much room as the rest. */
const families = [...new Set(metricNames.map((name) => name.replace(/\.(count|sum|avg|min|max|p\d\d)$/, '.…')))];

/** Without the names, which are in the description: the schema of the contract repeats all of them. */
const metrics = z
  .array(z.union([z.string(), z.record(z.string(), z.unknown())]))
  .min(1)
  .max(20)
  .meta({
    description:
      'Names of metrics, or {"metric", "field", "filter", "as"} for a metric of a field or of some of the calls, or {"ratio": [as, as], "as"}. Metrics `field.…` need a `field`, such as `analysis.data.guests`.',
    examples: [
      ['calls', 'latency.e2eMs.p95', { metric: 'field.trueRate', field: 'analysis.data.booked', as: 'bookedRate' }],
    ],
  });

const figures = z.object({}).meta({ description: 'The metrics, by name or `as`.' });
const output = z.object({
  rows: z.array(
    z.object({
      bucket: z.string().meta({ description: 'When the bucket begins.' }),
      group: z.object({}).meta({ description: 'The values of `groupBy`.' }),
      values: figures,
      previous: figures.nullable().meta({ description: 'The same of the compared range.' }),
    }),
  ),
  range: z.object({ from: z.string(), to: z.string() }),
  previousRange: z.object({ from: z.string(), to: z.string() }).nullable(),
  timeZone: z.string(),
  truncated: z.boolean().meta({ description: 'Whether rows were left out because of `limit`.' }),
  filledFrom: z.string().nullable().meta({ description: 'Not null: figures are complete from this time on.' }),
  calls: z.number().meta({ description: 'How many calls of the range match the filter.' }),
});

/** So that a request without one gets an answer that a model can read. */
const defaultLimit = 200;

export const analyticsReads: readonly Tool[] = [
  defineTool({
    name: 'query_analytics',
    operation: queryAnalytics,
    description: `Computes figures over calls, such as how many there were, how many were a success and how fast the agents replied: use it for questions like “how did yesterday go?”. Metrics: ${families.join(', ')}; … is one of ${Object.keys(aggregates).join(', ')}. Durations and latencies are in milliseconds, rates from 0 to 1, costs in millionths of \`currency\`; null means that there is nothing to compute it of. Ask for the user’s time zone. Yesterday compared with a week earlier: {"range": {"last": "1d", "complete": true}, "timeZone": "Asia/Tokyo", "compare": "week", "metrics": ["calls", "connectRate", "successRate", "durationMs.avg", "latency.e2eMs.p95", "errorCalls"]}. Add "groupBy": ["agentId"] or "interval": "day" to break it down.`,
    passed: { ...queryAnalytics.body.shape, metrics },
    output,
    call: async (client, _own, query, options) => {
      const given = { limit: defaultLimit, ...query } as unknown as AnalyticsQuery;
      const { tookMs: _tookMs, asOf: _asOf, ...result } = await client.analytics.query(given, options);
      return result;
    },
  }),
];
