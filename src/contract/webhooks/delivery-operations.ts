import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { commaSeparated, queryTime } from '../query.ts';
import { delivery, deliveryId, deliveryStatuses, deliveryTriggers } from './delivery.ts';
import { eventTypes } from './event-types.ts';
import { oneWebhook } from './one-webhook.ts';
import { replayBody } from './requests.ts';
import { webhookId } from './webhook.ts';

const oneDelivery = { ...oneWebhook, params: z.object({ id: webhookId, deliveryId }) } as const;

export const listDeliveries = defineOperation({
  ...oneWebhook,
  id: 'webhooks.deliveries.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/webhooks/{id}/deliveries',
  scope: 'webhooks:read',
  risk: 'standard',
  summary: 'List the deliveries of a webhook',
  description: 'Returns the deliveries of a webhook with their attempts, newest first. Filters combine with AND.',
  query: z.object({
    ...pageParameters,
    status: commaSeparated(z.enum(deliveryStatuses))
      .optional()
      .meta({ description: 'Only deliveries with these statuses.', examples: [['failed']] }),
    eventType: commaSeparated(z.enum(eventTypes))
      .optional()
      .meta({ description: 'Only deliveries of these event types.', examples: [['call_ended']] }),
    trigger: commaSeparated(z.enum(deliveryTriggers))
      .optional()
      .meta({ description: 'Only deliveries with these triggers.', examples: [['replay']] }),
    createdAfter: queryTime
      .optional()
      .meta({ description: 'Only deliveries created at this time or later.', examples: ['2026-11-15T00:00:00Z'] }),
    createdBefore: queryTime
      .optional()
      .meta({ description: 'Only deliveries created before this time.', examples: ['2026-11-16T00:00:00Z'] }),
  }),
  success: pageSuccess('WebhookDeliveryPage', delivery, 'A page of deliveries.'),
});

export const getDelivery = defineOperation({
  ...oneDelivery,
  id: 'webhooks.deliveries.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/webhooks/{id}/deliveries/{deliveryId}',
  scope: 'webhooks:read',
  risk: 'standard',
  summary: 'Get a delivery',
  description: 'Returns a delivery with all its attempts.',
  success: { status: 200, description: 'The delivery.', body: delivery },
});

export const resendDelivery = defineOperation({
  ...oneDelivery,
  id: 'webhooks.deliveries.resend',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/webhooks/{id}/deliveries/{deliveryId}/resend',
  scope: 'webhooks:write',
  risk: 'sensitive',
  summary: 'Send an event again',
  description:
    'Creates a new delivery of the same event, with the same id, the same bytes and the full retry schedule. The webhook must be active (409), and the event must still have its content (422).',
  success: {
    status: 201,
    description: 'The new delivery.',
    body: delivery,
    example: { trigger: 'resend', attemptCount: 0, attempts: [] },
  },
});

export const replayWebhook = defineOperation({
  ...oneWebhook,
  id: 'webhooks.replay',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/webhooks/{id}/replay',
  scope: 'webhooks:write',
  risk: 'sensitive',
  summary: 'Send many events again',
  description:
    'Resends events that this webhook has missed, in the order in which they happened, at most 20 per second. The webhook must be active, and only one replay per webhook can run at a time (409).',
  body: replayBody,
  bodyExample: { since: '2026-11-15T00:00:00Z' },
  success: {
    status: 201,
    description: 'The replay has started.',
    body: z
      .strictObject({
        id: z
          .string()
          .max(64)
          .meta({ description: 'The id of the replay.', examples: ['rpl_01m7f8p2cj0000k3w9d5x7b1n4vrhz'] }),
        matched: z
          .int()
          .min(0)
          .meta({ description: 'The number of events to send.', examples: [42] }),
      })
      .meta({ id: 'WebhookReplay', description: 'A replay of events.' }),
  },
});
