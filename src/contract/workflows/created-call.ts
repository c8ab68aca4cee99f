import { z } from 'zod';
import { dataStorageSettings } from '../agents/agent.ts';
import { agentVersion } from '../agents/version.ts';
import { externalId, metadata, variables } from '../calls/values.ts';
import { phoneNumber } from '../phone-number.ts';
import { text } from '../text.ts';

const maxTemplate = 1000;
const templateText = text({ min: 1, max: maxTemplate });

/** A string that contains a template is checked when it is rendered. */
function templated<S extends z.ZodType<string>>(schema: S) {
  return templateText.superRefine((given, context) => {
    if (given.includes('{{')) return;
    for (const { message } of schema.safeParse(given).error?.issues ?? [])
      context.addIssue({ code: 'custom', message });
  });
}

/** An object, or a string that is one template: the object of another call. */
function orTemplate<S extends z.ZodType>(schema: S) {
  const message = 'must be an object or a template';
  return z.union([schema, templateText.refine((given) => given.includes('{{'), message)], {
    // What is wrong with an object is said by its own schema.
    error: ({ code, input, errors }) =>
      (code === 'invalid_union' && typeof input === 'object' ? errors[0]?.[0]?.message : undefined) ?? message,
  });
}

const time = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 date-time, such as 2026-01-31T09:00:00Z' });

/** The body of calls.create for phone calls. Anything can be left out that calls.create does not need. */
export function createdCall(object: typeof z.object) {
  return object({
    type: z.literal('phone').meta({ description: 'Always `phone`.', examples: ['phone'] }),
    agentId: templateText.meta({
      description: 'The id of the agent.',
      examples: ['agt_01m7f8nkmj0000v37e3s3e28jt97kb'],
    }),
    agentVersion: agentVersion
      .unwrap()
      .optional()
      .meta({ description: 'The version of the agent. Absent: the published one.', examples: ['published'] }),
    startSkillId: text({ min: 1, max: maxTemplate })
      .optional()
      .meta({ description: 'The step at which the conversation flow starts.', examples: ['confirm'] }),
    variables: orTemplate(variables)
      .optional()
      .meta({ description: 'Values for `{{name}}` in prompts and texts.', examples: [{ shop: '銀座店' }] }),
    metadata: orTemplate(metadata)
      .optional()
      .meta({ description: 'Your own data.', examples: [{ reason: 'not answered' }] }),
    externalId: externalId
      .nullable()
      .optional()
      .meta({ description: 'Your own reference.', examples: ['visit-2981'] }),
    dataStorageSetting: z
      .enum(dataStorageSettings)
      .optional()
      .meta({ description: 'What is stored about the call.', examples: ['everything_except_pii'] }),
    startAt: templated(time)
      .optional()
      .meta({ description: 'When the number is dialed. Absent: at once.', examples: ['2026-11-20T15:00:00+09:00'] }),
    queue: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the call is queued if no slot is free.', examples: [true] }),
    expiresInSeconds: z
      .int()
      .min(10)
      .max(86_400)
      .optional()
      .meta({ description: 'How long the call may wait in the queue, in seconds.', examples: [3600] }),
    recordingEnabled: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the call is recorded.', examples: [true] }),
    fromPhoneNumberId: templateText.meta({
      description: 'The id of the phone number to call from.',
      examples: ['num_01m2k7qv3h0000x4t9w8c5n1r6ybdz'],
    }),
    to: templated(phoneNumber).meta({
      description: 'The number to dial, in E.164 format.',
      examples: ['{{call.from}}'],
    }),
    ringTimeoutMs: z
      .int()
      .min(5000)
      .max(120_000)
      .optional()
      .meta({ description: 'How long the phone rings, in milliseconds.', examples: [30_000] }),
  });
}
