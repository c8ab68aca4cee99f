import { z } from 'zod';
import { alertId, alertName, alertState, alertThreshold, alertValue, alertWindow } from '../analytics/alert.ts';
import { call as callSchema } from '../calls/call.ts';
import { transcript as transcriptSchema } from '../calls/conversation-operations.ts';
import { interfaceVersion } from '../interface-version.ts';
import { documentError } from '../knowledge/document.ts';
import { carrierStatuses } from '../phone/carrier.ts';
import { type EventType, eventTypes } from './event-types.ts';

export type { EventType };

/** The maximum length of a body in UTF-8. */
export const maxEventBytes = 256 * 1024;

const id = (description: string, example: string) =>
  z
    .string()
    .max(64)
    .meta({ description, examples: [example] });
const time = z.iso.datetime();

const agentId = id('The id of the agent.', 'agt_01m7f8nkmj0000v37e3s3e28jt97kb');
const callId = id('The id of the call.', 'call_01m7f8np1p0000f5kznwj47tan9zt2');
const webhookId = id('The id of the webhook.', 'whk_01m7f8nw2g0000ss6ys3c4dwa7n360');
const eventId = id(
  'The id of the event. It is also the `webhook-id` of every request that delivers it.',
  'evt_01m7f8nyfm0000yyk596ngya1dq91k',
);
const knowledgeBaseId = id('The id of the knowledge base.', 'kb_01m7f8q1h60000t2v9b4k8n3d5wxr7');
const documentId = id('The id of the document.', 'doc_01m7f8q4s80000h6m1p3c7f2j9zgy5');
const workflowId = id('The id of the workflow.', 'wfl_01m7f8q6n40000p8s3k1w5y7c2nzfd');
const workspaceId = id('The workspace of the event.', 'ws_01m7f8nje00000m9s346q3d25vt4f5');
const timestamp = time.meta({ description: 'When it happened.', examples: ['2026-11-15T10:02:11.480Z'] });
const sequence = z
  .int()
  .min(1)
  .meta({
    description: 'Increases with each event of the same subject, so that receivers can order them.',
    examples: [4],
  });

const alertChange = z.strictObject({
  alertId: alertId.max(64),
  name: alertName,
  metric: z
    .string()
    .max(64)
    .meta({ description: 'The metric.', examples: ['latency.e2eMs.p95'] }),
  value: alertValue,
  threshold: alertThreshold,
  window: alertWindow,
  from: alertState.meta({ description: 'The former state.', examples: ['ok'] }),
  to: alertState.meta({ description: 'The new state.', examples: ['firing'] }),
});

const call = callSchema.meta({ description: 'The call at that moment, with only the content that is stored.' });

const omissions = ['transcript', 'analysis.evidence', 'analysis.data', 'collectedVariables'] as const;
export type Omission = (typeof omissions)[number];

const callWithTranscript = z.strictObject({
  call,
  transcript: transcriptSchema.nullable().meta({
    description: 'The transcript, for a webhook that includes it. Null: see `omitted`.',
    examples: [null],
  }),
  omitted: z.array(z.enum(omissions)).meta({
    description: 'What was left out: a transcript that is not stored, and content that would exceed 256 KiB.',
    examples: [[]],
  }),
});

export const deletionLevels = ['deleted', 'everything_except_pii', 'basic_attributes_only'] as const;

/** What an event happened to. */
export const subjectTypes = ['call', 'agent', 'carrier', 'document', 'alert', 'workflow', 'webhook'] as const;
export type SubjectType = (typeof subjectTypes)[number];

interface EventRow {
  readonly subject: SubjectType;
  readonly description: string;
  /** `data` of the body. */
  readonly data: z.ZodObject;
}

/** Everything that a webhook can subscribe to. A new event is a row here, and a line in event-types.ts. */
const events = {
  call_started: {
    subject: 'call',
    description: 'A call was connected.',
    data: z.strictObject({ call }),
  },
  call_ended: {
    subject: 'call',
    description: 'A call has ended, or will never be connected: exactly one for every call.',
    data: callWithTranscript,
  },
  call_analyzed: {
    subject: 'call',
    description: 'The analysis of a call is settled: completed, failed or skipped.',
    data: callWithTranscript,
  },
  call_deleted: {
    subject: 'call',
    description: 'A call was deleted, or its content was.',
    data: z.strictObject({
      callId,
      level: z
        .enum(deletionLevels)
        .meta({ description: 'What is still stored about the call.', examples: ['deleted'] }),
    }),
  },
  agent_published: {
    subject: 'agent',
    description: 'A version of an agent was published.',
    data: z.strictObject({
      agentId,
      version: z
        .int()
        .min(1)
        .meta({ description: 'The published version.', examples: [3] }),
      versionDescription: z
        .string()
        .max(500)
        .nullable()
        .meta({ description: 'What changed in this version.', examples: ['年末の営業時間'] }),
    }),
  },
  carrier_status_changed: {
    subject: 'carrier',
    description: 'The status of a carrier has changed, such as to `failing` after three failed calls in a row.',
    data: z.strictObject({
      id: id('The id of the carrier.', 'car_01m7f8p2j40000q3w8c5n1r6ybdz9k'),
      from: z.enum(carrierStatuses).meta({ description: 'The former status.', examples: ['active'] }),
      to: z.enum(carrierStatuses).meta({ description: 'The new status.', examples: ['failing'] }),
      reason: z
        .string()
        .max(500)
        .meta({ description: 'Why it changed.', examples: ['Three calls in a row failed at the carrier.'] }),
    }),
  },
  document_ready: {
    subject: 'document',
    description: 'New content of a document can be searched.',
    data: z.strictObject({
      knowledgeBaseId,
      documentId,
      revision: z
        .int()
        .min(1)
        .meta({ description: 'The revision that is searched now.', examples: [1] }),
      chunkCount: z
        .int()
        .min(0)
        .meta({ description: 'How many chunks it has.', examples: [17] }),
    }),
  },
  document_failed: {
    subject: 'document',
    description: 'The newest content of a document cannot be used. Its former content, if any, is still searched.',
    data: z.strictObject({ knowledgeBaseId, documentId, error: documentError }),
  },
  alert_firing: {
    subject: 'alert',
    description: 'The condition of an alert holds.',
    data: alertChange,
  },
  alert_resolved: {
    subject: 'alert',
    description: 'The condition of an alert that was firing does not hold any more, or there is no data.',
    data: alertChange,
  },
  workflow_run_failed: {
    subject: 'workflow',
    description: 'A run of a workflow has failed.',
    data: z.strictObject({
      workflowId,
      runId: id('The id of the run.', 'run_01m7f8q8c20000d5j9r2t6v4b1kxgh'),
      callId,
      stepId: z
        .string()
        .max(32)
        .nullable()
        .meta({ description: 'The step that failed. Null: the run has reached its age limit.', examples: ['crm'] }),
      code: z
        .string()
        .max(64)
        .meta({ description: 'Why it failed.', examples: ['http_error'] }),
    }),
  },
  workflow_disabled: {
    subject: 'workflow',
    description: 'The service has disabled a workflow after repeated failures.',
    data: z.strictObject({
      workflowId,
      reason: z
        .enum(['failing'])
        .meta({ description: '`failing`: 20 runs in a row have failed.', examples: ['failing'] }),
    }),
  },
  webhook_disabled: {
    subject: 'webhook',
    description: 'The service has disabled a webhook. Sent to the other webhooks.',
    data: z.strictObject({
      webhookId,
      reason: z.enum(['failing', 'gone']).meta({
        description: '`failing`: no delivery has succeeded for days. `gone`: the endpoint returned 410.',
        examples: ['failing'],
      }),
    }),
  },
  webhook_test: {
    subject: 'webhook',
    description: 'A test of a webhook.',
    data: z.strictObject({
      message: z
        .string()
        .max(500)
        .meta({ description: 'A message.', examples: ['This is a test.'] }),
    }),
  },
} as const satisfies Readonly<Record<EventType, EventRow>>;

export type EventTypeOf<Subject extends SubjectType> = {
  [Type in EventType]: (typeof events)[Type]['subject'] extends Subject ? Type : never;
}[EventType];

/** The events that can be sent to the webhook of the agent. */
export const callEventTypes = eventTypes.filter((type): type is EventTypeOf<'call'> => events[type].subject === 'call');

export type EventData<Type extends EventType = EventType> = z.infer<(typeof events)[Type]['data']>;

export function descriptionOfEvent(type: EventType): string {
  return events[type].description;
}

export function subjectOfEvent(type: EventType): SubjectType {
  return events[type].subject;
}

function bodyOf<Type extends EventType>(type: Type) {
  const { description, data } = events[type];
  const name = type
    .split('_')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
  return z
    .strictObject({
      id: eventId,
      type: z.literal(type).meta({ description: 'The type of the event.', examples: [type] }),
      timestamp,
      apiVersion: z
        .literal(interfaceVersion)
        .meta({ description: 'The API version of the payload.', examples: [interfaceVersion] }),
      workspaceId,
      sequence,
      test: z
        .boolean()
        .meta({ description: 'Whether this is a test: nothing has actually happened.', examples: [false] }),
      data: (data as (typeof events)[Type]['data']).meta({
        id: `${name}Data`,
        description: 'What the event is about.',
      }),
    })
    .meta({ id: `${name}Event`, description });
}

type Bodies = { readonly [Type in EventType]: ReturnType<typeof bodyOf<Type>> };

/** The JSON that is sent for each type. */
export const eventBodies = Object.fromEntries(eventTypes.map((type) => [type, bodyOf(type)])) as Bodies;

export type EventBody<Type extends EventType = EventType> = z.infer<Bodies[Type]>;

const bodies = Object.values(eventBodies) as [Bodies[EventType], ...Bodies[EventType][]];

const bodyExample: EventBody<'call_deleted'> = {
  id: 'evt_01m7f8nyfm0000yyk596ngya1dq91k',
  type: 'call_deleted',
  timestamp: '2026-11-15T10:02:11.480Z',
  apiVersion: interfaceVersion,
  workspaceId: 'ws_01m7f8nje00000m9s346q3d25vt4f5',
  sequence: 4,
  test: false,
  data: { callId: 'call_01m7f8np1p0000f5kznwj47tan9zt2', level: 'deleted' },
};

export const event = z
  .strictObject({
    id: eventId,
    type: z.enum(eventTypes).meta({ description: 'The type of the event.', examples: ['call_deleted'] }),
    timestamp,
    sequence,
    subject: z
      .strictObject({
        type: z.enum(subjectTypes).meta({ description: 'The kind of resource.', examples: ['call'] }),
        id: id('The id of the resource.', 'call_01m7f8np1p0000f5kznwj47tan9zt2'),
      })
      .meta({ id: 'EventSubject', description: 'What the event happened to.' }),
    workspaceId,
    body: z
      .union(bodies)
      .nullable()
      .meta({
        description: 'The payload, without the transcript. Null once the content of the call has been deleted.',
        examples: [bodyExample],
      }),
  })
  .meta({ id: 'Event', description: 'Something that happened in the workspace.' });

export type EventResource = z.infer<typeof event>;
