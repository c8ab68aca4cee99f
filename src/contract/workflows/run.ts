import { z } from 'zod';
import { attemptFields, attemptOutcomes } from '../webhooks/delivery.ts';
import { stepTypes } from './definition.ts';
import { workflowId, workflowVersionNumber } from './workflow.ts';

export const runStatuses = ['pending', 'running', 'waiting', 'succeeded', 'failed', 'canceled', 'skipped'] as const;
export const stepStatuses = [
  'pending',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'canceled',
  'not_reached',
] as const;
export const runTriggers = ['event', 'manual'] as const;

export const runId = z
  .string()
  .meta({ description: 'The id of the run.', examples: ['run_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] });
const time = z.iso.datetime();
const optionalTime = (description: string, example: string | null = null) =>
  time.nullable().meta({ description, examples: [example] });

/** In responses. */
export const stepId = z
  .string()
  .max(32)
  .meta({ description: 'The id of the step in its workflow.', examples: ['crm'] });

export const stepError = z
  .strictObject({
    code: z
      .string()
      .max(64)
      .meta({
        description: 'Why the step failed, such as `http_error`, `template_error` or `destination_limit`.',
        examples: ['http_error'],
      }),
    message: z
      .string()
      .max(1000)
      .meta({ description: 'The same in words.', examples: ['The receiver answered 404.'] }),
  })
  .meta({ id: 'WorkflowStepError', description: 'What went wrong in a step.' });

export type StepError = z.infer<typeof stepError>;

export const runRequest = z
  .strictObject({
    method: z
      .string()
      .max(10)
      .meta({ description: 'The method.', examples: ['POST'] }),
    url: z
      .string()
      .max(16_384)
      .meta({ description: 'The URL.', examples: ['https://crm.example.com/leads/visit-2981'] }),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'The headers.', examples: [{ authorization: 'Bearer {{secrets.CRM_TOKEN}}' }] }),
    body: z
      .string()
      .nullable()
      .meta({ description: 'The text that is sent. Null: none.', examples: ['{"summary":"予約の変更"}'] }),
  })
  .meta({
    id: 'WorkflowRequest',
    description: 'A request as it was rendered, the same in every attempt. Secrets are named, not shown.',
  });

export type RunRequest = z.infer<typeof runRequest>;

export const runAttempt = z
  .strictObject({
    ...attemptFields,
    outcome: z.enum([...attemptOutcomes, 'response_too_large']).meta({
      description: '`succeeded` if the status of the response was expected; otherwise what went wrong.',
      examples: ['http_error'],
    }),
    url: z
      .string()
      .max(16_384)
      .nullable()
      .meta({
        description: 'The URL that it was sent to. Null: the content of the call was removed.',
        examples: ['https://crm.example.com/leads/visit-2981'],
      }),
  })
  .meta({ id: 'WorkflowAttempt', description: 'One attempt to send the request of a step.' });

export type RunAttempt = z.infer<typeof runAttempt>;

export const runStep = z
  .strictObject({
    id: stepId,
    type: z.enum(stepTypes).meta({ description: 'The type of the step.', examples: ['http_request'] }),
    status: z.enum(stepStatuses).meta({
      description:
        '`pending` until it starts, `waiting` for its time or its next attempt; `not_reached` if the run took another way or has ended before it.',
      examples: ['succeeded'],
    }),
    request: runRequest
      .nullable()
      .meta({ description: 'What an `http_request` sends. Null: nothing yet, or it is not kept.' }),
    attempts: z.array(runAttempt).meta({ description: 'The attempts, oldest first.' }),
    attemptCount: z
      .int()
      .min(0)
      .meta({
        description: 'How many attempts have started. Attempts of a process that was lost are not listed.',
        examples: [1],
      }),
    nextAttemptAt: optionalTime('While waiting: when the next attempt is due, or the wait ends.'),
    output: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({
        description:
          'What later steps can use: `statusCode` and `body`, `resumedAt`, `matched` or `callId`, by type. Null: none yet.',
        examples: [{ statusCode: 200, body: { id: 'lead-81' } }],
      }),
    error: stepError
      .nullable()
      .meta({ description: 'Why it failed; while waiting, why the last attempt did. Null otherwise.' }),
    startedAt: optionalTime('When it started.', '2026-12-18T09:31:02.120Z'),
    completedAt: optionalTime('When it ended.', '2026-12-18T09:31:02.480Z'),
  })
  .meta({ id: 'WorkflowRunStep', description: 'A step of a run.' });

export type RunStep = z.infer<typeof runStep>;

export const run = z
  .strictObject({
    id: runId.max(64),
    workflowId: workflowId.max(64),
    workflowVersion: workflowVersionNumber,
    callId: z
      .string()
      .max(64)
      .meta({ description: 'The call that it is about.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] }),
    eventId: z
      .string()
      .max(64)
      .nullable()
      .meta({
        description: 'The event that started it. Null: it was started by workflows.runs.create.',
        examples: ['evt_01m7f8nyfm0000yyk596ngya1dq91k'],
      }),
    status: z.enum(runStatuses).meta({
      description: '`waiting` during a wait, and until the next attempt. Final: the last four.',
      examples: ['succeeded'],
    }),
    reason: z
      .string()
      .max(64)
      .nullable()
      .meta({
        description:
          'failed: the code of the step’s error, or `timeout` after 45 days. canceled: `by_user`, `workflow_deleted` or `content_removed`. skipped: `loop` or `limit_reached`.',
        examples: [null],
      }),
    trigger: z.enum(runTriggers).meta({ description: 'What started it.', examples: ['event'] }),
    depth: z
      .int()
      .min(1)
      .meta({
        description: '1, or one more than the run that created its call. A run at depth 4 is skipped.',
        examples: [1],
      }),
    steps: z.array(runStep).meta({ description: 'All steps of its version, in order.' }),
    createdAt: time.meta({ description: 'When it was created.', examples: ['2026-12-18T09:31:02.080Z'] }),
    startedAt: optionalTime('When its first step started.', '2026-12-18T09:31:02.120Z'),
    completedAt: optionalTime('When it ended.', '2026-12-18T09:31:02.480Z'),
  })
  .meta({ id: 'WorkflowRun', description: 'One run of a workflow, with everything that it has done.' });

export type Run = z.infer<typeof run>;
export type RunStatus = Run['status'];
