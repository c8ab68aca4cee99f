import { z } from 'zod';
import { text } from '../text.ts';
import { maxFieldName } from './fields.ts';
import { fieldFilter, metricField, metricName } from './query.ts';
import { metricIssues } from './query-issues.ts';

export const maxAlerts = 50;
export const alertWindows = ['15m', '1h', '6h', '24h'] as const;
export const alertOps = ['gt', 'gte', 'lt', 'lte'] as const;
export const alertStates = ['ok', 'firing', 'no_data'] as const;

export const alertId = z
  .string()
  .meta({ description: 'The id of the alert.', examples: ['alr_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] });
const time = z.iso.datetime();
const timeExample = '2026-12-18T09:30:00.000Z';

export const alertName = text({ min: 1, max: 255 }).meta({ description: 'The name.', examples: ['応答の遅れ'] });
export const alertWindow = z
  .enum(alertWindows)
  .meta({ description: 'The calls that it looks at: those created in this time until now.', examples: ['1h'] });
export const alertState = z.enum(alertStates).meta({
  description:
    '`firing` while the condition holds. `no_data`: fewer calls than `minCalls`, or nothing to compare with.',
  examples: ['ok'],
});

/** Beyond every figure, also of costs in millionths. */
const maxFigure = 1e15;
const figure = z.number().min(-maxFigure).max(maxFigure);
export const alertThreshold = figure.meta({ description: 'The threshold.', examples: [1500] });
export const alertValue = figure
  .nullable()
  .meta({ description: 'The value that was last compared. Null: there was none.', examples: [1820] });

const writable = {
  name: alertName,
  enabled: z.boolean().meta({ description: 'Whether it is evaluated.', examples: [true] }),
  metric: metricName,
  field: metricField.nullable().meta({
    description: 'The field of a metric `field.…`. Null for all other metrics.',
    examples: ['analysis.data.guests'],
  }),
  filter: fieldFilter.nullable().meta({
    description: 'Which calls it looks at. Null: all, except those of drafts.',
    examples: [{ field: 'type', op: 'eq', value: 'phone' }],
  }),
  window: alertWindow,
  op: z.enum(alertOps).meta({ description: 'How the metric is compared with `value`.', examples: ['gt'] }),
  value: alertThreshold,
  relative: z.boolean().meta({
    description: '`value` is the change in percent against the window before.',
    examples: [false],
  }),
  minCalls: z
    .int()
    .min(0)
    .max(10_000)
    .meta({ description: 'With fewer calls in the window, the state is `no_data`.', examples: [1] }),
};

export const alert = z
  .strictObject({
    id: alertId.max(64),
    name: writable.name,
    enabled: writable.enabled,
    metric: z
      .string()
      .max(64)
      .meta({ description: 'The metric.', examples: ['latency.e2eMs.p95'] }),
    field: text({ max: maxFieldName })
      .nullable()
      .meta({ description: 'The field of a metric `field.…`.', examples: [null] }),
    filter: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'Which calls it looks at. Null: all, except those of drafts.', examples: [null] }),
    window: writable.window,
    op: writable.op,
    value: writable.value,
    relative: writable.relative,
    minCalls: writable.minCalls,
    state: alertState,
    stateSince: time.meta({ description: 'Since when it has this state.', examples: [timeExample] }),
    lastValue: alertValue,
    lastEvaluatedAt: time.nullable().meta({ description: 'When it was last evaluated.', examples: [timeExample] }),
    createdAt: time.meta({ description: 'When it was created.', examples: [timeExample] }),
    updatedAt: time.meta({ description: 'When it was last changed.', examples: [timeExample] }),
  })
  .meta({ id: 'Alert', description: 'A condition on a metric that is evaluated every minute.' });

export type Alert = z.infer<typeof alert>;

export const createAlertBody = z
  .object({
    name: writable.name,
    enabled: writable.enabled.default(true),
    metric: writable.metric,
    field: writable.field.default(null),
    filter: writable.filter.default(null),
    window: writable.window,
    op: writable.op,
    value: writable.value,
    relative: writable.relative.default(false),
    minCalls: writable.minCalls.optional(),
  })
  .superRefine(({ metric, field }, context) => {
    for (const { path, message } of metricIssues({ metric, field: field ?? undefined })) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .meta({
    id: 'CreateAlert',
    description:
      'A new alert. `minCalls` is 0 for the metric `calls` by default, so that a dead line is noticed, else 1.',
  });

export const updateAlertBody = z
  .object({
    name: writable.name.optional(),
    enabled: writable.enabled.optional(),
    metric: writable.metric.optional(),
    field: writable.field.optional(),
    filter: writable.filter.optional(),
    window: writable.window.optional(),
    op: writable.op.optional(),
    value: writable.value.optional(),
    relative: writable.relative.optional(),
    minCalls: writable.minCalls.optional(),
  })
  .superRefine(({ metric, field }, context) => {
    if (metric === undefined || field === undefined) return;
    for (const { path, message } of metricIssues({ metric, field: field ?? undefined })) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .meta({ id: 'UpdateAlert', description: 'The fields to change.' });

export type NewAlertFields = z.output<typeof createAlertBody>;
export type AlertChanges = z.output<typeof updateAlertBody>;
