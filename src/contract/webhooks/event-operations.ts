import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { onePage, pageParameters, pageSuccess, waitParameter } from '../pagination.ts';
import { commaSeparated, queryTime } from '../query.ts';
import { text } from '../text.ts';
import { eventIdField } from './delivery.ts';
import { eventTypes } from './event-types.ts';
import { event } from './events.ts';
import { none } from './one-webhook.ts';

export const listEvents = defineOperation({
  id: 'events.list',
  kind: 'read',
  isLongPoll: true,
  method: 'GET',
  path: '/api/v1/events',
  scope: 'webhooks:read',
  risk: 'sensitive',
  summary: 'List events',
  description:
    'Returns the events of the workspace in the order in which they were committed, newest first. With `order=asc` the list starts at the oldest event and never ends, so you can poll it instead of using a webhook: `nextCursor` is never null, a page can be empty, and `waitSeconds` holds the request until there is an event. A client that keeps the last cursor misses no event and receives none twice, even across restarts.',
  params: none,
  query: z.object({
    ...pageParameters,
    ...waitParameter,
    type: commaSeparated(z.enum(eventTypes))
      .optional()
      .meta({ description: 'Only events of these types.', examples: [['call_ended']] }),
    subjectId: text({ min: 1, max: 64 })
      .optional()
      .meta({
        description: 'Only events of this call, agent or webhook.',
        examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'],
      }),
    createdAfter: queryTime
      .optional()
      .meta({ description: 'Only events at this time or later.', examples: ['2026-11-15T00:00:00Z'] }),
    createdBefore: queryTime.optional().meta({
      description: 'Only events before this time. The list then ends, in either order.',
      examples: ['2026-11-16T00:00:00Z'],
    }),
    order: z
      .enum(['desc', 'asc'])
      .default('desc')
      .meta({ description: '`desc`: newest first. `asc`: oldest first, to follow events.', examples: ['asc'] }),
  }),
  body: null,
  success: pageSuccess('EventPage', event, 'A page of events.', 'in the requested order'),
});

export const getEvent = defineOperation({
  id: 'events.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/events/{id}',
  scope: 'webhooks:read',
  risk: 'sensitive',
  summary: 'Get an event',
  description: 'Returns an event, including one sent by a test.',
  params: z.object({ id: eventIdField }),
  query: none,
  body: null,
  success: { status: 200, description: 'The event.', body: event },
});

export const listEventTypes = defineOperation({
  id: 'events.types.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/event-types',
  scope: 'webhooks:read',
  risk: 'standard',
  summary: 'List event types',
  description: 'Returns every event type, with the JSON Schema of its body and an example.',
  params: none,
  query: none,
  body: null,
  success: {
    status: 200,
    description: 'The event types.',
    body: z
      .strictObject({
        items: z
          .array(
            z
              .strictObject({
                name: z.enum(eventTypes).meta({ description: 'The type.', examples: ['webhook_test'] }),
                description: z
                  .string()
                  .max(1000)
                  .meta({ description: 'When it is sent.', examples: ['A test of a webhook.'] }),
                schema: z.record(z.string(), z.unknown()).meta({
                  description: 'The JSON Schema of the body.',
                  examples: [{ type: 'object' }],
                }),
                example: z.record(z.string(), z.unknown()).meta({
                  description: 'An example of the body.',
                  examples: [{ type: 'webhook_test' }],
                }),
              })
              .meta({ id: 'EventTypeInfo', description: 'An event type.' }),
          )
          .meta({ description: 'All types.' }),
        pagination: onePage,
      })
      .meta({ id: 'EventTypeList', description: 'The event types.' }),
  },
});
