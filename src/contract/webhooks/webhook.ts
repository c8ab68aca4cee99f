import { z } from 'zod';
import { text } from '../text.ts';

export const webhookId = z
  .string()
  .meta({ description: 'The id of the webhook.', examples: ['whk_01m7f8nw2g0000ss6ys3c4dwa7n360'] });
const time = z.iso.datetime();
const optionalTime = (description: string, example: string | null = null) =>
  time.nullable().meta({ description, examples: [example] });

export const webhookKinds = ['workspace', 'agent'] as const;
export const webhookStatuses = ['active', 'paused', 'disabled'] as const;
export const disabledReasons = ['failing', 'gone', 'by_user'] as const;

export const secretRotatedAt = optionalTime('When the secret was last replaced. Null: never.');
export const previousSecretExpiresAt = optionalTime(
  'Requests are also signed with the previous secret until this time. Null: there is none.',
);

export const includable = ['transcript'] as const;

export const secret = z
  .string()
  .max(100)
  .meta({
    description: '`whsec_` and 32 bytes in base64. Requests are signed with it.',
    examples: ['whsec_RVhBTVBMRUVYQU1QTEVFWEFNUExFRVhBTVBMRUVYQU0='],
  });

export const webhook = z
  .strictObject({
    id: webhookId.max(64),
    workspaceId: z
      .string()
      .max(64)
      .meta({ description: 'The workspace of the webhook.', examples: ['ws_01m7f8nje00000m9s346q3d25vt4f5'] }),
    kind: z.enum(webhookKinds).meta({
      description: '`agent`: created by the service for an agent. `workspace`: any other.',
      examples: ['workspace'],
    }),
    agentId: z
      .string()
      .max(64)
      .nullable()
      .meta({
        description: 'The agent that it was created for. Null for kind `workspace`.',
        examples: [null],
      }),
    url: text({ max: 2048 })
      .nullable()
      .meta({
        description:
          'The URL that events are sent to. Kind `agent`: `webhookUrl` of its latest published version, or of its draft until one is published; null if it has none.',
        examples: ['https://shop.example.com/hooks/calls'],
      }),
    description: text({ max: 1000 })
      .nullable()
      .meta({ description: 'A note for your own reference.', examples: [null] }),
    events: z.array(text({ max: 100 })).meta({
      description: 'The event types that are sent; `*` is all of them. Kind `agent`: `webhookEvents` of that version.',
      examples: [['call_ended', 'call_analyzed']],
    }),
    agentIds: z
      .array(z.string().max(64))
      .meta({ description: 'Only events of these agents are sent. Empty: all agents.', examples: [[]] }),
    include: z
      .array(z.enum(includable))
      .meta({ description: 'What is added to `call_ended` and `call_analyzed`.', examples: [[]] }),
    status: z
      .enum(webhookStatuses)
      .meta({ description: 'Events are sent to active webhooks only.', examples: ['active'] }),
    disabledReason: z
      .enum(disabledReasons)
      .nullable()
      .meta({ description: 'Why it is disabled. Null: it is not disabled.', examples: [null] }),
    secretRotatedAt,
    previousSecretExpiresAt,
    lastSuccessAt: optionalTime('When an event was last received.', '2026-11-15T09:31:48.020Z'),
    lastFailureAt: optionalTime('When sending an event last failed.'),
    failingSince: optionalTime('The first failure since the last success. Null: the last one succeeded.'),
    createdAt: time.meta({ description: 'When the webhook was created.', examples: ['2026-11-15T09:29:00.000Z'] }),
    updatedAt: time.meta({ description: 'When the webhook was last changed.', examples: ['2026-11-15T09:29:00.000Z'] }),
  })
  .meta({ id: 'Webhook', description: 'An endpoint that events are sent to.' });

export type Webhook = z.infer<typeof webhook>;
