import { z } from 'zod';
import { text } from '../text.ts';
import { eventTypes } from './event-types.ts';
import { includable, webhookStatuses } from './webhook.ts';

export const maxWebhooks = 20;
const maxEvents = 50;
const maxAgents = 100;
const maxGraceSeconds = 7 * 24 * 3600;

const eventName = z.enum([...eventTypes, '*']);

const writable = {
  url: text({ min: 1, max: 2048 }).meta({
    description:
      'The URL that events are sent to: `https`, or `http` on this machine and in networks that the operator allows.',
    examples: ['https://shop.example.com/hooks/calls'],
  }),
  events: z
    .array(eventName)
    .min(1)
    .max(maxEvents)
    .refine((names) => !names.includes('*') || names.every((name) => name === '*'), '"*" must be the only name')
    .transform((names) => [...new Set(names)])
    .meta({
      description: 'The event types to send. `["*"]`: all, including types added later.',
      examples: [['call_ended', 'call_analyzed']],
    }),
  agentIds: z
    .array(text({ min: 1, max: 64 }))
    .max(maxAgents)
    .transform((ids) => [...new Set(ids)])
    .meta({
      description: 'Send only events of these agents. Empty: all agents.',
      examples: [['agt_01m7f8nkmj0000v37e3s3e28jt97kb']],
    }),
  include: z
    .array(z.enum(includable))
    .max(10)
    .transform((names) => [...new Set(names)])
    .meta({
      description: '`["transcript"]` adds the transcript to `call_ended` and `call_analyzed`.',
      examples: [['transcript']],
    }),
  description: text({ max: 1000 })
    .nullable()
    .meta({ description: 'A note for your own reference.', examples: ['CRM'] }),
};

export const createWebhookBody = z
  .object({
    url: writable.url,
    events: writable.events,
    agentIds: writable.agentIds.default([]),
    include: writable.include.default([]),
    description: writable.description.default(null),
  })
  .meta({ id: 'CreateWebhook', description: 'A new webhook.' });

export type NewWebhookFields = z.output<typeof createWebhookBody>;

export const updateWebhookBody = z
  .object({
    url: writable.url.optional(),
    events: writable.events.optional(),
    agentIds: writable.agentIds.optional(),
    include: writable.include.optional(),
    description: writable.description.optional(),
    status: z
      .enum(webhookStatuses)
      .optional()
      .meta({
        description:
          '`paused` and `disabled` skip everything still to be sent. `active` resumes sending from then on: replay what was skipped.',
        examples: ['paused'],
      }),
  })
  .meta({ id: 'UpdateWebhook', description: 'The fields to change.' });

export type WebhookChanges = z.output<typeof updateWebhookBody>;

export const rotateSecretBody = z
  .object({
    graceSeconds: z
      .int()
      .min(0)
      .max(maxGraceSeconds)
      .default(86_400)
      .meta({ description: 'How long requests are also signed with the old secret, in seconds.', examples: [86_400] }),
  })
  .meta({ id: 'RotateWebhookSecret', description: 'Options for the rotation.' });

export const testWebhookBody = z
  .object({
    type: z
      .enum(eventTypes)
      .default('webhook_test')
      .meta({ description: 'The event type to send an example of.', examples: ['webhook_test'] }),
  })
  .meta({ id: 'TestWebhook', description: 'What to send.' });

const requestTime = z.iso.datetime({
  offset: true,
  error: ({ input }) =>
    input === undefined ? 'is required' : 'must be an ISO 8601 date-time, such as 2026-01-31T09:00:00Z',
});

export const replayStatuses = ['failed', 'skipped'] as const;

export const replayBody = z
  .object({
    since: requestTime.meta({
      description: 'Events from this time on. Must be within the retention period of events, and not in the future.',
      examples: ['2026-11-15T00:00:00Z'],
    }),
    until: requestTime.optional().meta({
      description: 'Events before this time. Absent: until now.',
      examples: ['2026-11-16T00:00:00Z'],
    }),
    statuses: z
      .union([z.array(z.enum(replayStatuses)).min(1).max(10), z.enum(['all'])], {
        error: `must be "all", or a list of ${replayStatuses.join(' and ')}`,
      })
      .default([...replayStatuses])
      .meta({
        description:
          'Events whose last delivery to this webhook ended with one of these statuses. `all`: every event that the webhook currently subscribes to, whether sent before or not.',
        examples: [['failed', 'skipped']],
      }),
    eventTypes: z
      .array(z.enum(eventTypes))
      .min(1)
      .max(maxEvents)
      .optional()
      .meta({ description: 'Only events of these types. Absent: all.', examples: [['call_ended']] }),
  })
  .meta({ id: 'ReplayWebhook', description: 'Which events to send again.' });

export type ReplayRequest = z.output<typeof replayBody>;
