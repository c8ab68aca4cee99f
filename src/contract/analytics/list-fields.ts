import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { onePage } from '../pagination.ts';
import { text } from '../text.ts';
import { maxFieldName } from './fields.ts';
import { none } from './query.ts';

export const fieldKinds = ['metric', 'dimension', 'field'] as const;
export const fieldTypes = ['string', 'number', 'integer', 'boolean', 'time', 'any'] as const;

const field = z
  .strictObject({
    kind: z.enum(fieldKinds).meta({
      description:
        '`metric`: for `metrics`. `dimension`: for `groupBy`, `filter` and the `field` of a metric. `field`: for `filter` and the `field` of a metric.',
      examples: ['metric'],
    }),
    name: text({ max: maxFieldName }).meta({ description: 'The name.', examples: ['latency.e2eMs.p95'] }),
    type: z
      .enum(fieldTypes)
      .meta({ description: 'The type of its values. `any`: several types were seen.', examples: ['integer'] }),
    unit: z
      .enum(['milliseconds', 'count', 'tokens', 'characters', 'ratio', 'micros'])
      .nullable()
      .meta({
        description: 'The unit of its values. `micros`: millionths of the currency.',
        examples: ['milliseconds'],
      }),
    definition: z
      .string()
      .max(1000)
      .meta({ description: 'What it is, precisely.', examples: ['The 95th percentile (nearest rank).'] }),
    example: z
      .union([z.string(), z.number(), z.boolean()])
      .nullable()
      .meta({ description: 'A value. Null for names that were seen in calls.', examples: [1180] }),
  })
  .meta({ id: 'AnalyticsField', description: 'A metric, a dimension or a field.' });

export type AnalyticsFieldEntry = z.infer<typeof field>;

export const listFields = defineOperation({
  id: 'analytics.fields.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/analytics/fields',
  scope: 'analytics:read',
  risk: 'standard',
  summary: 'List metrics, dimensions and fields',
  description:
    'Returns everything that a query can name, with definitions. Of the names that follow `analysis.data.`, `metadata.`, `variables.` and `collectedVariables.`, those in the newest 10,000 calls.',
  params: none,
  query: none,
  body: null,
  success: {
    status: 200,
    description: 'All metrics, dimensions and fields.',
    body: z
      .strictObject({
        items: z.array(field).meta({ description: 'Metrics, then dimensions, then fields.' }),
        pagination: onePage,
      })
      .meta({ id: 'AnalyticsFieldPage', description: 'Everything that a query can name.' }),
  },
});
