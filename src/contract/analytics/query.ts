import { z } from 'zod';
import { isIanaTimeZone } from '../agents/settings/time-zone.ts';
import { type FilterIssue, filterOps, filterSchema } from '../filter.ts';
import { defineOperation } from '../operation.ts';
import { quoted } from '../quoted-names.ts';
import { text } from '../text.ts';
import { analyticsFields, fixedFields, freeFormPrefixes, isDimension, maxFieldName } from './fields.ts';
import { metricNames, metrics } from './metrics.ts';
import { isAnyObject, metricIssues, queryIssues, rangeIssues } from './query-issues.ts';
import { comparisons, intervals } from './ranges.ts';

export const maxRows = 10_000;
export const none = z.object({});
const instant = z.iso.datetime({ offset: true });

const prefixes = Object.keys(freeFormPrefixes);

function addIssues(context: z.RefinementCtx, issues: readonly FilterIssue[]): void {
  for (const { path, message } of issues) context.addIssue({ code: 'custom', path: [...path], message });
}

const range = z
  .object({
    from: instant
      .optional()
      .meta({ description: 'Calls created at this time or later.', examples: ['2026-12-18T00:00:00+09:00'] }),
    to: instant
      .optional()
      .meta({ description: 'Calls created before this time.', examples: ['2026-12-20T00:00:00+09:00'] }),
    last: text({ min: 2, max: 5 })
      .optional()
      .meta({
        description:
          'In place of `from` and `to`: the last hours (`24h`), days (`7d`), weeks (`4w`) or months (`12mo`), 1 to 400, in whole units of the time zone. The running one is included.',
        examples: ['7d'],
      }),
    complete: z
      .boolean()
      .optional()
      .meta({ description: 'With `last`: without the running unit.', examples: [true] }),
  })
  .superRefine((given, context) => addIssues(context, rangeIssues(given)))
  .meta({
    id: 'AnalyticsRange',
    description: 'Which calls, by `createdAt`. At most 800 days.',
    examples: [{ last: '7d' }],
  });

export const fieldFilter = filterSchema(analyticsFields).meta({
  description: `A condition \`{"field", "op", "value"}\`, or \`{"all": […]}\`, \`{"any": […]}\`, \`{"not": …}\` of conditions, up to 50 conditions and 5 levels, as for calls.search. Operators: ${quoted(filterOps)}. Fields: ${quoted([...fixedFields.keys()])}, and ${quoted(prefixes)} followed by a name.`,
  examples: [{ field: 'agentId', op: 'eq', value: 'agt_01m7f8nkmj0000v37e3s3e28jt97kb' }],
});

const notMetric = 'is not a metric; analytics.fields.list returns all metrics';

// An enum would hide the other issues of the same entry.
export const metricName = z
  .string()
  .max(64)
  .refine((name) => metrics.has(name), notMetric)
  .meta({
    id: 'AnalyticsMetric',
    description: 'The name of a metric. analytics.fields.list has their definitions.',
    examples: ['latency.e2eMs.p95'],
    enum: metricNames,
  });

export const metricField = text({ min: 1, max: maxFieldName }).meta({
  description: 'The field that a metric `field.…` is computed of.',
  examples: ['analysis.data.guests'],
});

const as = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'must be a letter, followed by up to 63 letters, digits and underscores')
  .max(64)
  .meta({ description: 'The name of the value in the response.', examples: ['booked'] });

const metric = z
  .union(
    [
      metricName.superRefine((name, context) => {
        if (metricIssues({ metric: name }).length > 0) {
          context.addIssue({ code: 'custom', message: `needs a field: {"metric": "${name}", "field": …, "as": …}` });
        }
      }),
      z
        .object({
          metric: metricName,
          field: metricField.optional(),
          filter: fieldFilter.optional(),
          as,
        })
        .superRefine((entry, context) => addIssues(context, metricIssues(entry)))
        .meta({
          id: 'AnalyticsMetricEntry',
          description: 'A metric of some of the calls, or of a field.',
          examples: [
            { metric: 'calls', filter: { field: 'analysis.data.booked', op: 'eq', value: true }, as: 'booked' },
          ],
        }),
      z
        .object({
          ratio: z
            .array(text({ min: 1, max: maxFieldName }))
            .length(2)
            .meta({
              description: 'Two other entries, by `as` or by the name of the metric: the first divided by the second.',
              examples: [['booked', 'calls']],
            }),
          as,
        })
        .meta({
          id: 'AnalyticsRatio',
          description: 'The ratio of two metrics, with 6 decimals. Null if the second is 0.',
          examples: [{ ratio: ['booked', 'calls'], as: 'bookedRate' }],
        }),
    ],
    { error: 'must be the name of a metric, {metric, field, filter, as} or {ratio, as}' },
  )
  .meta({ description: 'A metric.', examples: ['calls'] });

export type RequestedMetric = z.output<typeof metric>;

const dimension = text({ min: 1, max: maxFieldName })
  .refine(isDimension, 'is not a dimension; analytics.fields.list returns all dimensions')
  .meta({ description: 'A dimension.', examples: ['agentVersion'] });

const dimensionNames = [...fixedFields].filter(([, field]) => field.isDimension).map(([name]) => name);

const orderShape = {
  by: text({ min: 1, max: maxFieldName })
    .default('bucket')
    .meta({ description: '`bucket`, a metric or a dimension of the query.', examples: ['bucket'] }),
  direction: z
    .enum(['asc', 'desc'])
    .default('asc')
    .meta({ description: 'Nulls are last in both directions.', examples: ['asc'] }),
};

const queryShape = {
  range,
  timeZone: text({ min: 1, max: 64 })
    .refine(isIanaTimeZone, 'must be the name of a time zone, such as Asia/Tokyo')
    .default('UTC')
    .meta({ description: 'An IANA time zone, in which days begin.', examples: ['Asia/Tokyo'] }),
  interval: z
    .enum(intervals)
    .default('none')
    .meta({ description: 'The length of a bucket. Weeks begin on Monday. `none`: one bucket.', examples: ['day'] }),
  metrics: z
    .array(metric)
    .min(1)
    .max(20)
    .meta({ description: 'What to compute.', examples: [['calls', 'latency.e2eMs.p95']] }),
  groupBy: z
    .array(dimension)
    .max(2)
    .default([])
    .meta({
      description: `Up to two of ${quoted(dimensionNames)}, and ${quoted(prefixes)} followed by a name. Texts are cut to 200 characters; beyond the 1,000 most frequent values, the rest is \`(other)\`.`,
      examples: [['agentVersion']],
    }),
  filter: fieldFilter.optional(),
  includeDrafts: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether calls of drafts count, too.', examples: [false] }),
  compare: z
    .enum(comparisons)
    .optional()
    .meta({
      description:
        'Adds the figures of an earlier range: `previous` is the same number of units directly before, the others are shifted back by that period.',
      examples: ['week'],
    }),
  order: z
    .object(orderShape)
    .optional()
    .meta({ id: 'AnalyticsOrder', description: 'The order of the rows.', examples: [{ by: 'bucket' }] }),
  limit: z
    .int()
    .min(1)
    .max(maxRows)
    .default(1000)
    .meta({
      description:
        'The maximum number of rows. Groups are kept or dropped as a whole, the largest by the first metric first.',
      examples: [1000],
    }),
};

export const analyticsQuery = z
  .object(queryShape)
  .superRefine((query, context) => addIssues(context, queryIssues(query)), { when: isAnyObject })
  .meta({ id: 'AnalyticsQuery', description: 'Which figures to compute, of which calls.' });

export type AnalyticsQuery = z.output<typeof analyticsQuery>;

/** The same, without defaults: who opens a saved query decides about the rest, such as the time zone. */
export const savedQuery = z
  .object({
    ...queryShape,
    timeZone: optional(queryShape.timeZone),
    interval: optional(queryShape.interval),
    groupBy: optional(queryShape.groupBy),
    includeDrafts: optional(queryShape.includeDrafts),
    order: z
      .object({ by: optional(orderShape.by), direction: optional(orderShape.direction) })
      .optional()
      .meta({ id: 'SavedQueryOrder', description: 'The order of the rows.', examples: [{ by: 'bucket' }] }),
    limit: optional(queryShape.limit),
  })
  .superRefine((query, context) => addIssues(context, queryIssues(query)), { when: isAnyObject })
  .meta({
    id: 'SavedQuery',
    description: 'The body of analytics.query. What is left out is decided when the view is opened.',
    examples: [{ range: { last: '7d' }, interval: 'day', metrics: ['calls'] }],
  });

export type SavedQuery = z.output<typeof savedQuery>;

function optional<S extends z.ZodType>(schema: z.ZodDefault<S>): z.ZodOptional<S> {
  return schema
    .unwrap()
    .optional()
    .meta(schema.meta() ?? {});
}

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const values = z.record(z.string(), z.number().nullable());
const localTime = z.iso.datetime({ offset: true });

const resultRange = (id: string, description: string) =>
  z
    .strictObject({
      from: localTime.meta({ description: 'The start.', examples: ['2026-12-18T00:00:00+09:00'] }),
      to: localTime.meta({ description: 'The end, which is not included.', examples: ['2026-12-20T00:00:00+09:00'] }),
    })
    .meta({ id, description });

export const analyticsRow = z
  .strictObject({
    bucket: localTime.meta({
      description: 'When the bucket begins, with the offset of the time zone.',
      examples: ['2026-12-18T00:00:00+09:00'],
    }),
    group: z
      .record(z.string(), scalar)
      .meta({ description: 'The values of `groupBy`. Null: calls without a value.', examples: [{ agentVersion: 6 }] }),
    values: values.meta({
      description: 'The metrics, by name or `as`. Null: there is nothing to compute it of.',
      examples: [{ calls: 412, 'latency.e2eMs.p95': 1180 }],
    }),
    previous: values.nullable().meta({
      description:
        'The same metrics of the row at the same position of the compared range. Null if not requested, or if there is no such row.',
      examples: [{ calls: 388, 'latency.e2eMs.p95': 1240 }],
    }),
  })
  .meta({ id: 'AnalyticsRow', description: 'The figures of one bucket and one group.' });

export const analyticsResult = z
  .strictObject({
    rows: z.array(analyticsRow).meta({ description: 'One row for each bucket and group.' }),
    range: resultRange('AnalyticsResultRange', 'The range of the query.'),
    previousRange: resultRange('AnalyticsPreviousRange', 'The range that it is compared with.')
      .nullable()
      .meta({ description: 'The compared range. Null without `compare`.', examples: [null] }),
    timeZone: z
      .string()
      .max(64)
      .meta({ description: 'The time zone.', examples: ['Asia/Tokyo'] }),
    truncated: z.boolean().meta({ description: 'Whether rows were left out because of `limit`.', examples: [false] }),
    filledFrom: z.iso
      .datetime()
      .nullable()
      .meta({
        description:
          'After an upgrade or a restore, older calls are added in the background: figures are complete from this time on. Null: they are complete.',
        examples: [null],
      }),
    asOf: z.iso.datetime().meta({ description: 'When it was computed.', examples: ['2026-12-20T02:11:09.480Z'] }),
    calls: z
      .int()
      .min(0)
      .meta({ description: 'How many calls of the range match the filter.', examples: [812] }),
    tookMs: z
      .number()
      .min(0)
      .meta({ description: 'How long it took, in milliseconds.', examples: [21] }),
  })
  .meta({ id: 'AnalyticsResult', description: 'Figures about calls.' });

export type AnalyticsResult = z.infer<typeof analyticsResult>;
export type AnalyticsRow = AnalyticsResult['rows'][number];

export const queryAnalytics = defineOperation({
  id: 'analytics.query',
  kind: 'read',
  method: 'POST',
  path: '/api/v1/analytics/query',
  scope: 'analytics:read',
  risk: 'standard',
  summary: 'Query figures about calls',
  description:
    'Computes figures over the calls that are over, at the time they were created, without delay. Percentiles are exact. Takes up to 5 seconds; a query that would take longer, or has more than 10,000 rows, is refused with 422.',
  params: none,
  query: none,
  body: analyticsQuery,
  bodyExample: {
    range: { last: '2d', complete: true },
    timeZone: 'Asia/Tokyo',
    interval: 'day',
    compare: 'week',
    metrics: ['calls', 'latency.e2eMs.p95'],
    groupBy: ['agentVersion'],
  },
  success: { status: 200, description: 'The figures.', body: analyticsResult },
});
