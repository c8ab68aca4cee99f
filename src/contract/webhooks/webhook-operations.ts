import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { text } from '../text.ts';
import { attemptFields, deliveryId, eventIdField } from './delivery.ts';
import { none, oneWebhook } from './one-webhook.ts';
import { createWebhookBody, rotateSecretBody, testWebhookBody, updateWebhookBody } from './requests.ts';
import {
  previousSecretExpiresAt,
  secret,
  secretRotatedAt,
  webhook,
  webhookId,
  webhookKinds,
  webhookStatuses,
} from './webhook.ts';

const etag = { ETag: 'The entity tag of the webhook. Deliveries do not change it.' };

const newWebhook = z
  .strictObject({ ...webhook.shape, secret })
  .meta({ id: 'NewWebhook', description: 'A new webhook, with its secret.' });

export type NewWebhookBody = z.infer<typeof newWebhook>;

export const createWebhook = defineOperation({
  id: 'webhooks.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/webhooks',
  scope: 'webhooks:write',
  risk: 'sensitive',
  summary: 'Create a webhook',
  description:
    'Creates a webhook. From then on, every matching event is sent to its URL, signed as in Standard Webhooks 1.0. The response contains the secret. A workspace can have up to 20 webhooks of its own.',
  params: none,
  query: none,
  body: createWebhookBody,
  bodyExample: { url: 'https://shop.example.com/hooks/calls', events: ['call_ended', 'call_analyzed'] },
  success: {
    status: 201,
    description: 'The new webhook, with its secret.',
    body: newWebhook,
    headers: etag,
    isSecret: true,
  },
});

export const listWebhooks = defineOperation({
  id: 'webhooks.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/webhooks',
  scope: 'webhooks:read',
  risk: 'standard',
  summary: 'List webhooks',
  description:
    'Returns the webhooks of the workspace, newest first. The webhook of an agent is created when a version with a `webhookUrl`, tools or a custom LLM is published: requests to all three are signed with its secret.',
  params: none,
  query: z.object({
    ...pageParameters,
    kind: z
      .enum(webhookKinds)
      .optional()
      .meta({ description: 'Return only webhooks of this kind.', examples: ['agent'] }),
    agentId: text({ min: 1, max: 64 })
      .optional()
      .meta({
        description: 'Return only the webhook of this agent.',
        examples: ['agt_01m7f8nkmj0000v37e3s3e28jt97kb'],
      }),
    status: z
      .enum(webhookStatuses)
      .optional()
      .meta({ description: 'Return only webhooks with this status.', examples: ['active'] }),
  }),
  body: null,
  success: pageSuccess('WebhookPage', webhook, 'A page of webhooks.'),
});

export const getWebhook = defineOperation({
  ...oneWebhook,
  id: 'webhooks.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/webhooks/{id}',
  scope: 'webhooks:read',
  risk: 'standard',
  summary: 'Get a webhook',
  description: 'Returns a webhook, without its secret.',
  success: { status: 200, description: 'The webhook.', body: webhook, headers: etag },
});

export const updateWebhook = defineOperation({
  ...oneWebhook,
  id: 'webhooks.update',
  kind: 'change',
  method: 'PATCH',
  path: '/api/v1/webhooks/{id}',
  scope: 'webhooks:write',
  risk: 'sensitive',
  summary: 'Update a webhook',
  description:
    'Changes the given fields. While a webhook is paused or disabled, its events are recorded as skipped. For the webhook of an agent, `url`, `events` and `agentIds` are set in the agent (422).',
  body: updateWebhookBody,
  bodyMediaType: 'application/merge-patch+json',
  bodyExample: { status: 'paused' },
  condition: 'If-Match',
  success: { status: 200, description: 'The webhook.', body: webhook, headers: etag },
});

export const deleteWebhook = defineOperation({
  ...oneWebhook,
  id: 'webhooks.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/webhooks/{id}',
  scope: 'webhooks:write',
  risk: 'destructive',
  summary: 'Delete a webhook',
  description:
    'Deletes a webhook and its deliveries. Events are kept. The webhook of an agent cannot be deleted while the agent exists or one of its calls is open (409).',
  condition: 'If-Match',
  success: {
    status: 200,
    description: 'The webhook has been deleted.',
    body: z
      .strictObject({
        id: webhookId.max(64),
        deleted: z.literal(true).meta({ description: 'Always true.', examples: [true] }),
      })
      .meta({ id: 'DeletedWebhook', description: 'Confirms the deletion.' }),
  },
});

export const getWebhookSecret = defineOperation({
  ...oneWebhook,
  id: 'webhooks.secret.get',
  // Revealing a secret is recorded in the audit trail.
  kind: 'change',
  method: 'GET',
  path: '/api/v1/webhooks/{id}/secret',
  scope: 'webhooks:write',
  risk: 'sensitive',
  summary: 'Get the secret of a webhook',
  description:
    'Returns the secret that requests are signed with, as in Standard Webhooks 1.0. Each request for it is recorded in the audit trail.',
  success: {
    status: 200,
    description: 'The secret.',
    body: z
      .strictObject({ secret, secretRotatedAt, previousSecretExpiresAt })
      .meta({ id: 'WebhookSecret', description: 'The secret of a webhook.' }),
    isSecret: true,
  },
});

export const rotateWebhookSecret = defineOperation({
  ...oneWebhook,
  id: 'webhooks.secret.rotate',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/webhooks/{id}/rotate-secret',
  scope: 'webhooks:write',
  risk: 'sensitive',
  summary: 'Rotate the secret of a webhook',
  description:
    'Creates a new secret. For the grace period, requests have two signatures, so that receivers with either secret accept them. Another rotation within that time drops the oldest secret.',
  body: rotateSecretBody,
  isBodyOptional: true,
  bodyExample: { graceSeconds: 86_400 },
  success: {
    status: 200,
    description: 'The new secret.',
    body: z
      .strictObject({ secret, previousSecretExpiresAt })
      .meta({ id: 'RotatedWebhookSecret', description: 'The new secret of a webhook.' }),
    isSecret: true,
  },
});

export const testWebhook = defineOperation({
  ...oneWebhook,
  id: 'webhooks.test',
  kind: 'action',
  method: 'POST',
  path: '/api/v1/webhooks/{id}/test',
  scope: 'webhooks:write',
  risk: 'sensitive',
  summary: 'Test a webhook',
  description:
    'Sends an example event to this webhook, regardless of its `events` and `status`, and returns the outcome: the response is 200 even if the attempt failed. `test` is true in the payload. The example is sent once and does not appear in the list of events. The response takes up to 20 seconds.',
  body: testWebhookBody,
  isBodyOptional: true,
  bodyExample: { type: 'call_ended' },
  success: {
    status: 200,
    description: 'The outcome.',
    body: z
      .strictObject({ ...attemptFields, eventId: eventIdField, deliveryId })
      .meta({ id: 'WebhookTestResult', description: 'The attempt to send a test.' }),
    example: { outcome: 'succeeded', statusCode: 200, responseBody: 'ok', errorMessage: null },
  },
});
