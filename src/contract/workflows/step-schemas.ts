import { z } from 'zod';
import { requestHeaders } from '../agents/settings/tools.ts';
import { externalId, metadata } from '../calls/values.ts';
import { filterSchema } from '../filter.ts';
import { text } from '../text.ts';
import { createdCall } from './created-call.ts';
import { conditionFields, filterText } from './fields.ts';
import { end } from './step-issues.ts';

export const maxSteps = 30;
export const maxRoutes = 20;
export const maxWaitSeconds = 30 * 86_400;

export const stepTypes = ['http_request', 'wait', 'condition', 'update_call', 'create_call'] as const;
export const requestMethods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const;

/** `z.object` ignores unknown fields (requests); `z.strictObject` rejects them (responses). */
export type ObjectOf = typeof z.object;

/** Requests and responses differ in whether they allow unknown fields, so each object has two names in OpenAPI. */
export interface StepVariant {
  readonly object: ObjectOf;
  readonly named: (name: string) => string;
}

const templates = 'May contain templates, such as `{{call.externalId}}`.';

export const stepId = z
  .string()
  .max(32)
  .regex(
    /^[a-z][a-z0-9_]{0,31}$/,
    'must start with a lower-case letter, followed by up to 31 lower-case letters, digits or _',
  )
  .refine((id) => id !== end, 'must not be end, which ends the run')
  .meta({ description: 'The id of the step in its workflow.', examples: ['crm'] });

/** A reference may be wrong in one way only: there is no later step with this id. */
const target = text({ min: 1, max: 32 });

const next = target
  .nullable()
  .default(null)
  .meta({ description: 'The id of a later step, or `end`. Null: the following step.', examples: [null] });
const otherwise = target
  .nullable()
  .default(null)
  .meta({
    description: 'The id of a later step, or `end`, if the step fails. Null: the run fails.',
    examples: [null],
  });

const formValue = z.union([text({ max: 10_000 }), z.number(), z.boolean()], {
  error: 'must be a string, a number, true or false',
});

function httpRequestStep({ object, named }: StepVariant) {
  return object({
    id: stepId,
    type: z.literal('http_request').meta({ description: 'Sends a request.', examples: ['http_request'] }),
    method: z
      .enum(requestMethods)
      .default('POST')
      .meta({ description: 'The HTTP method.', examples: ['POST'] }),
    url: text({ min: 1, max: 2048 }).meta({
      description: `The URL. ${templates} Scheme, host and port must not. Path and query may contain \`{{secrets.NAME}}\`.`,
      examples: ['https://crm.example.com/leads/{{call.externalId}}'],
    }),
    headers: requestHeaders(() => undefined)
      .default({})
      .meta({
        description: `Additional request headers. ${templates} \`{{secrets.NAME}}\` is the value of a secret of the workspace.`,
        examples: [{ Authorization: 'Bearer {{secrets.CRM_TOKEN}}' }],
      }),
    body: z
      .unknown()
      .default(null)
      .meta({
        description: `The body, as JSON. ${templates} A string that is exactly one template keeps the type of its value. Null: none.`,
        examples: [{ summary: '{{call.analysis.summary}}' }],
      }),
    form: z
      .record(text({ min: 1, max: 255 }), formValue)
      .nullable()
      .default(null)
      .meta({
        description: `In place of \`body\`: fields of a form, sent as application/x-www-form-urlencoded. ${templates} A field whose value is null is left out. Null: none.`,
        examples: [null],
      }),
    expect: z
      .array(z.int().min(100).max(599))
      .min(1)
      .max(50)
      .nullable()
      .default(null)
      .meta({ description: 'The statuses of a success. Null: 200 to 299.', examples: [null] }),
    timeoutMs: z
      .int()
      .min(1000)
      .max(30_000)
      .default(15_000)
      .meta({ description: 'The timeout of an attempt, in milliseconds.', examples: [15_000] }),
    maxAttempts: z
      .int()
      .min(1)
      .max(10)
      .default(5)
      .meta({ description: 'How often the request is sent until it succeeds.', examples: [5] }),
    next,
    otherwise,
  }).meta({ id: named('HttpRequestStep'), description: 'A request to another system, at least once.' });
}

function waitStep({ object, named }: StepVariant) {
  return object({
    id: stepId,
    type: z.literal('wait').meta({ description: 'Waits.', examples: ['wait'] }),
    seconds: z
      .int()
      .min(1)
      .max(maxWaitSeconds)
      .nullable()
      .default(null)
      .meta({ description: 'How long to wait, in seconds, up to 30 days.', examples: [null] }),
    until: text({ min: 1, max: 1000 })
      .nullable()
      .default(null)
      .meta({
        description: `In place of \`seconds\`: a time, at most 30 days ahead. If it is past, the run goes on. ${templates}`,
        examples: [null],
      }),
    at: text({ min: 1, max: 1000 })
      .nullable()
      .default(null)
      .meta({
        description: `In place of \`seconds\`: the next time that it is this time of day, as HH:MM. ${templates}`,
        examples: ['10:00'],
      }),
    timeZone: text({ min: 1, max: 1000 })
      .nullable()
      .default(null)
      .meta({
        description: `With \`at\`: the time zone, as an IANA name. Null: UTC. ${templates}`,
        examples: ['Asia/Tokyo'],
      }),
    next,
    otherwise,
  }).meta({ id: named('WaitStep'), description: 'A pause, with exactly one of `seconds`, `until` and `at`.' });
}

function conditionStep({ object, named }: StepVariant) {
  return object({
    id: stepId,
    type: z.literal('condition').meta({ description: 'Chooses the next step.', examples: ['condition'] }),
    routes: z
      .array(
        object({
          if: filterSchema(conditionFields).meta({
            description: `${filterText}. Also \`steps.<id>.status\`, \`steps.<id>.statusCode\` and \`steps.<id>.output.<path>\` of a step that has run.`,
            examples: [{ field: 'metadata.paid', op: 'exists', value: true }],
          }),
          next: target.meta({ description: 'The id of a later step, or `end`.', examples: ['end'] }),
        }).meta({ id: named('ConditionRoute'), description: 'A step to go to if a filter matches.' }),
      )
      .min(1)
      .max(maxRoutes)
      .meta({ description: 'The first route whose filter matches is taken. Up to 20.' }),
    otherwise: target.meta({
      description: 'The id of a later step, or `end`, if no route matches.',
      examples: ['call_back'],
    }),
  }).meta({ id: named('ConditionStep'), description: 'A choice of the next step.' });
}

function updateCallStep({ object, named }: StepVariant) {
  return object({
    id: stepId,
    type: z.literal('update_call').meta({ description: 'Updates the call.', examples: ['update_call'] }),
    metadata: metadata.default({}).meta({
      description: `Merged into the metadata of the call; null removes a key. ${templates}`,
      examples: [{ followUp: 'sent' }],
    }),
    externalId: externalId
      .nullable()
      .default(null)
      .meta({ description: `The new \`externalId\` of the call. ${templates} Null: unchanged.`, examples: [null] }),
    next,
    otherwise,
  }).meta({ id: named('UpdateCallStep'), description: 'A change of the call, exactly once.' });
}

function createCallStep({ object, named }: StepVariant) {
  return object({
    id: stepId,
    type: z.literal('create_call').meta({ description: 'Calls a number.', examples: ['create_call'] }),
    call: createdCall(object).meta({
      id: named('CreatedCall'),
      description: `The body of calls.create, of type \`phone\`, without \`token\`. ${templates}`,
    }),
    next,
    otherwise,
  }).meta({ id: named('CreateCallStep'), description: 'A new phone call, exactly once.' });
}

export function stepList(variant: StepVariant) {
  return z
    .array(
      z
        .discriminatedUnion(
          'type',
          [
            httpRequestStep(variant),
            waitStep(variant),
            conditionStep(variant),
            updateCallStep(variant),
            createCallStep(variant),
          ],
          {
            error: `must be one of: ${stepTypes.join(', ')}`,
          },
        )
        .meta({ description: 'A step.' }),
    )
    .min(1)
    .max(maxSteps)
    .meta({ description: 'The steps, in their order. `next` and `otherwise` name later ones only.' });
}
