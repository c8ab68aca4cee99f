import { z } from 'zod';
import { defineContract } from './area.ts';
import { defineOperation } from './operation.ts';
import { pageParameters, pageSuccess } from './pagination.ts';
import { webhookScopes } from './scopes/webhooks.ts';
import { text } from './text.ts';

const none = z.object({});
const id = z.string().meta({ description: 'The id of the webhook.', examples: ['whk_01m7f8nw2g0000ss6ys3c4dwa7n360'] });
const time = z.iso.datetime();
const optionalTime = (description: string, example: string | null = null) =>
  time.nullable().meta({ description, examples: [example] });

const kinds = ['workspace', 'agent'] as const;
const statuses = ['active', 'paused', 'disabled'] as const;
const disabledReasons = ['failing', 'gone', 'by_user'] as const;

const secretRotatedAt = optionalTime('When the secret was last replaced. Null: never.');
const previousSecretExpiresAt = optionalTime(
  'Until when requests are also signed with the previous secret. Null: there is none.',
);

export const webhook = z
  .strictObject({
    id: id.max(64),
    workspaceId: z
      .string()
      .max(64)
      .meta({ description: 'The workspace of the webhook.', examples: ['ws_01m7f8nje00000m9s346q3d25vt4f5'] }),
    kind: z.enum(kinds).meta({
      description: '`agent`: created by the service for an agent. `workspace`: any other.',
      examples: ['agent'],
    }),
    agentId: z
      .string()
      .max(64)
      .nullable()
      .meta({
        description: 'The agent that it was created for. Null for kind `workspace`.',
        examples: ['agt_01m7f8nkmj0000v37e3s3e28jt97kb'],
      }),
    url: text({ max: 2048 })
      .nullable()
      .meta({
        description:
          'The address that events are sent to. Kind `agent`: `webhookUrl` of its latest published version, null if it has none.',
        examples: ['https://shop.example.com/hooks/calls'],
      }),
    description: text({ max: 1000 })
      .nullable()
      .meta({ description: 'A note for people.', examples: [null] }),
    events: z.array(text({ max: 100 })).meta({
      description:
        'The types of events that are sent; `*` is all of them. Kind `agent`: `webhookEvents` of that version.',
      examples: [['call_started', 'call_ended', 'call_analyzed']],
    }),
    agentIds: z
      .array(z.string().max(64))
      .meta({ description: 'Only events of these agents are sent. Empty: those of all agents.', examples: [[]] }),
    include: z
      .array(z.enum(['transcript']))
      .meta({ description: 'What is added to `call_ended` and `call_analyzed`.', examples: [[]] }),
    status: z.enum(statuses).meta({ description: 'Events are sent to active webhooks only.', examples: ['active'] }),
    disabledReason: z
      .enum(disabledReasons)
      .nullable()
      .meta({ description: 'Why it is disabled. Null: it is not.', examples: [null] }),
    secretRotatedAt,
    previousSecretExpiresAt,
    lastSuccessAt: optionalTime('When an event was last received.', '2026-11-15T09:31:48.020Z'),
    lastFailureAt: optionalTime('When sending an event last failed.'),
    failingSince: optionalTime('The first failure since the last success. Null: the last one succeeded.'),
    createdAt: time.meta({ description: 'When the webhook was created.', examples: ['2026-11-15T09:29:00.000Z'] }),
    updatedAt: time.meta({ description: 'When the webhook was last changed.', examples: ['2026-11-15T09:29:00.000Z'] }),
  })
  .meta({ id: 'Webhook', description: 'An address that events are sent to.' });

export type Webhook = z.infer<typeof webhook>;

export const listWebhooks = defineOperation({
  id: 'webhooks.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/webhooks',
  scope: 'webhooks:read',
  risk: 'standard',
  summary: 'List webhooks',
  description:
    'Returns the webhooks of the workspace, newest first. The webhook of an agent is created when a version is published that has a `webhookUrl`, tools or a custom LLM: requests to all three are signed with its secret.',
  params: none,
  query: z.object({
    ...pageParameters,
    kind: z
      .enum(kinds)
      .optional()
      .meta({ description: 'Return only webhooks of this kind.', examples: ['agent'] }),
    agentId: text({ min: 1, max: 64 })
      .optional()
      .meta({
        description: 'Return only the webhook of this agent.',
        examples: ['agt_01m7f8nkmj0000v37e3s3e28jt97kb'],
      }),
    status: z
      .enum(statuses)
      .optional()
      .meta({ description: 'Return only webhooks with this status.', examples: ['active'] }),
  }),
  body: null,
  success: pageSuccess('WebhookPage', webhook, 'A page of webhooks.'),
});

export const getWebhookSecret = defineOperation({
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
  params: z.object({ id }),
  query: none,
  body: null,
  success: {
    status: 200,
    description: 'The secret.',
    body: z
      .strictObject({
        secret: z
          .string()
          .max(100)
          .meta({
            description: '`whsec_` and 32 bytes in base64.',
            examples: ['whsec_RVhBTVBMRUVYQU1QTEVFWEFNUExFRVhBTVBMRUVYQU0='],
          }),
        secretRotatedAt,
        previousSecretExpiresAt,
      })
      .meta({ id: 'WebhookSecret', description: 'The secret of a webhook.' }),
    isSecret: true,
  },
});

export const webhooksContract = defineContract({
  tag: { name: 'Webhooks', description: 'Addresses that events are sent to.' },
  idPrefixes: ['whk', 'evt', 'dlv'],
  scopes: webhookScopes,
  operations: [listWebhooks, getWebhookSecret],
});
