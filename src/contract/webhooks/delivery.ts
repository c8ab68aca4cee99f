import { z } from 'zod';
import { eventTypes } from './event-types.ts';

const id = (description: string, example: string) =>
  z
    .string()
    .max(64)
    .meta({ description, examples: [example] });
const time = z.iso.datetime();

export const deliveryId = id('The id of the delivery.', 'dlv_01m7f8p0wr00001hygcpwpq5e6eycn');
export const eventIdField = id('The id of the event.', 'evt_01m7f8nyfm0000yyk596ngya1dq91k');

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'skipped'] as const;
export const deliveryReasons = [
  'attempts_exhausted',
  'gone',
  'not_retried',
  'webhook_paused',
  'webhook_disabled',
  'content_removed',
] as const;
export const deliveryTriggers = ['event', 'resend', 'replay', 'test'] as const;
export const attemptOutcomes = [
  'succeeded',
  'http_error',
  'timeout',
  'connection_failed',
  'tls_failed',
  'address_not_allowed',
  'redirect',
] as const;

export const attemptFields = {
  number: z
    .int()
    .min(1)
    .meta({ description: 'The number of the attempt, starting at 1.', examples: [1] }),
  startedAt: time.meta({ description: 'When it started.', examples: ['2026-11-15T10:02:11.502Z'] }),
  durationMs: z
    .int()
    .min(0)
    .meta({ description: 'How long it took, in milliseconds.', examples: [41] }),
  url: z
    .string()
    .max(2048)
    .meta({ description: 'The URL that it was sent to.', examples: ['https://shop.example.com/hooks/calls'] }),
  outcome: z.enum(attemptOutcomes).meta({
    description: '`succeeded` if the receiver responded with 2xx; otherwise what went wrong.',
    examples: ['http_error'],
  }),
  statusCode: z
    .int()
    .min(100)
    .max(999)
    .nullable()
    .meta({ description: 'The status of the response. Null: there was none.', examples: [503] }),
  responseBody: z
    .string()
    .max(4096)
    .nullable()
    .meta({ description: 'The first 4 KiB of the response, as text. Null: there was none.', examples: ['deploying'] }),
  errorMessage: z
    .string()
    .max(500)
    .nullable()
    .meta({ description: 'What went wrong, in words. Null on success.', examples: ['The receiver answered 503.'] }),
};

export const attempt = z
  .strictObject(attemptFields)
  .meta({ id: 'DeliveryAttempt', description: 'One request to a webhook.' });

export type Attempt = z.infer<typeof attempt>;

export const delivery = z
  .strictObject({
    id: deliveryId,
    webhookId: id('The webhook.', 'whk_01m7f8nw2g0000ss6ys3c4dwa7n360'),
    eventId: eventIdField,
    eventType: z.enum(eventTypes).meta({ description: 'The type of the event.', examples: ['call_deleted'] }),
    status: z.enum(deliveryStatuses).meta({
      description: '`pending` until the receiver responds with 2xx, or until the last attempt fails.',
      examples: ['pending'],
    }),
    reason: z
      .enum(deliveryReasons)
      .nullable()
      .meta({
        description:
          'Why it failed (`attempts_exhausted`, `gone`, `not_retried`) or was skipped (`webhook_paused`, `webhook_disabled`, `content_removed`).',
        examples: [null],
      }),
    trigger: z.enum(deliveryTriggers).meta({
      description: 'Why it was created: by the event itself, or by a resend, a replay or a test.',
      examples: ['event'],
    }),
    attemptCount: z
      .int()
      .min(0)
      .meta({
        description: 'How many attempts have started. Attempts of a process that was lost are not listed.',
        examples: [1],
      }),
    nextAttemptAt: time
      .nullable()
      .meta({ description: 'When the next attempt is due, while pending.', examples: ['2026-11-15T10:02:16.700Z'] }),
    createdAt: time.meta({ description: 'When it was created.', examples: ['2026-11-15T10:02:11.480Z'] }),
    completedAt: time.nullable().meta({ description: 'When it succeeded, failed or was skipped.', examples: [null] }),
    attempts: z.array(attempt).meta({ description: 'The attempts, oldest first.' }),
  })
  .meta({ id: 'WebhookDelivery', description: 'The delivery of one event to one webhook.' });

export type Delivery = z.infer<typeof delivery>;
