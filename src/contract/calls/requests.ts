import { z } from 'zod';
import { dataStorageSettings } from '../agents/agent.ts';
import { keys, transferModes } from '../agents/settings/phone.ts';
import { agentVersion } from '../agents/version.ts';
import { phoneNumber } from '../phone-number.ts';
import { text } from '../text.ts';
import { callTypes } from './call.ts';
import { externalId, metadata, variables } from './values.ts';

const describedExternalId = {
  description: 'Your own reference. It does not have to be unique.',
  examples: ['visit-2981'],
};
const maxOrigins = 10;
const originMessage = 'must be an origin such as https://shop.example.com, or http:// on this machine, without a path';

/** An origin as browsers send it. */
function isOrigin(given: string): boolean {
  const url = URL.parse(given);
  if (url === null || url.origin !== given) return false;
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback);
}

const tokenFields = {
  expiresInSeconds: z
    .int()
    .min(30)
    .max(600)
    .default(120)
    .meta({ description: 'How long the token can be used to join the call, in seconds.', examples: [120] }),
  allowedOrigins: z
    .array(text({ min: 1, max: 300 }).refine(isOrigin, originMessage))
    .max(maxOrigins)
    .default([])
    .meta({
      description: 'The origins of pages that may use the token. Empty: all.',
      examples: [['https://shop.example.com']],
    }),
};

export const createTokenBody = z
  .object(tokenFields)
  .meta({ id: 'CreateCallToken', description: 'Options for an access token.' });

const phoneFields = ['fromPhoneNumberId', 'to', 'ringTimeoutMs'] as const;

export const createCallBody = z
  .object({
    type: z.enum(callTypes).meta({
      description: '`chat` in writing, `web` in a browser, or `phone`, which dials a number.',
      examples: ['chat'],
    }),
    agentId: text({ min: 1, max: 64 }).meta({
      description: 'The id of the agent.',
      examples: ['agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz'],
    }),
    agentVersion,
    startSkillId: text({ min: 1, max: 64 })
      .optional()
      .meta({
        description: 'The step at which the conversation flow starts in this call. Overrides the setting of the agent.',
        examples: ['confirm'],
      }),
    variables: variables.default({}),
    metadata: metadata.default({}),
    externalId: externalId.nullable().default(null).meta(describedExternalId),
    dataStorageSetting: z
      .enum(dataStorageSettings)
      .optional()
      .meta({
        description:
          'What is stored about the call. Must be at least as strict as the agent’s setting, which is the default.',
        examples: ['everything_except_pii'],
      }),
    startAt: z.iso
      .datetime({ offset: true, error: 'must be an ISO 8601 date-time, such as 2026-01-31T09:00:00Z' })
      .optional()
      .meta({
        description: 'When the call can be joined: in the future, at most 30 days ahead. Absent: now.',
        examples: ['2026-11-20T15:00:00+09:00'],
      }),
    queue: z
      .boolean()
      .default(false)
      .meta({
        description: 'Whether to queue the call if no slot is free. Otherwise the response is 429.',
        examples: [false],
      }),
    expiresInSeconds: z
      .int()
      .min(10)
      .max(86_400)
      .default(3600)
      .meta({ description: 'How long the call may wait in the queue, in seconds.', examples: [3600] }),
    recordingEnabled: z
      .boolean()
      .optional()
      .meta({
        description: 'Whether the call is recorded. Overrides the setting of the agent. Not for chats.',
        examples: [true],
      }),
    toolResults: z
      .enum(['live', 'example'])
      .default('live')
      .meta({
        description:
          'Where the results of tools come from: `live` calls the tools; `example` calls none, and each returns its `example`. Drafts only.',
        examples: ['live'],
      }),
    token: createTokenBody.optional().meta({ description: 'Options for the access token in the response.' }),
    fromPhoneNumberId: text({ min: 1, max: 64 })
      .optional()
      .meta({
        description: 'The id of the phone number to call from. Required for phone calls, and only for these.',
        examples: ['num_01m2k7qv3h0000x4t9w8c5n1r6ybdz'],
      }),
    to: phoneNumber.optional().meta({
      description: 'The number to dial, in E.164 format. Required for phone calls, and only for these.',
      examples: ['+81312345678'],
    }),
    ringTimeoutMs: z
      .int()
      .min(5000)
      .max(120_000)
      .optional()
      .meta({
        description: 'How long the phone rings, in milliseconds. Phone calls only; default: that of the phone number.',
        examples: [30_000],
      }),
  })
  .superRefine((body, context) => {
    const add = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (body.type === 'phone') {
      if (body.fromPhoneNumberId === undefined) add('fromPhoneNumberId', 'is required for phone calls');
      if (body.to === undefined) add('to', 'is required for phone calls');
      if (body.token !== undefined) add('token', 'is not for phone calls');
      return;
    }
    for (const field of phoneFields) if (body[field] !== undefined) add(field, 'is for phone calls only');
    if (body.type === 'chat' && body.recordingEnabled !== undefined) add('recordingEnabled', 'is not for chats');
  })
  .meta({ id: 'CreateCall', description: 'A new call.' });

export const updateCallBody = z
  .object({
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({
        description: 'Merged into the current metadata; null removes a key. Up to 50 keys and 8 KiB afterwards.',
        examples: [{ page: '/booking' }],
      }),
    externalId: externalId.nullable().optional().meta(describedExternalId),
  })
  .meta({ id: 'UpdateCall', description: 'A JSON Merge Patch over the writable fields of a call.' });

export const redactCallBody = z
  .object({
    to: z
      .enum(['everything_except_pii', 'basic_attributes_only'], {
        error: 'must be one of: everything_except_pii, basic_attributes_only',
      })
      .meta({
        description: 'How much of the call to keep.',
        examples: ['everything_except_pii'],
      }),
  })
  .meta({ id: 'RedactCall', description: 'How much of the call to keep.' });

export const createMessageBody = z
  .object({
    text: text({ min: 1, max: 10_000 })
      .optional()
      .meta({
        description: 'What the caller writes. The first message may omit it, to get the opening of the agent.',
        examples: ['明日の15時に予約できますか。'],
      }),
  })
  .meta({ id: 'CreateCallMessage', description: 'A message from the caller.' });

export const controlActions = [
  'say',
  'add_context',
  'respond',
  'set_variables',
  'mute_agent',
  'unmute_agent',
  'pause_recording',
  'resume_recording',
  'send_dtmf',
  'transfer',
] as const;

const maxSay = 2000;

export const controlCallBody = z
  .object({
    action: z.enum(controlActions).meta({ description: 'The action.', examples: ['say'] }),
    text: text({ min: 1, max: 10_000 })
      .optional()
      .meta({
        description: '`say`: what the agent says, up to 2,000 characters. `add_context`: the context for the model.',
        examples: ['担当者が参加しました。'],
      }),
    interrupt: z
      .boolean()
      .optional()
      .meta({
        description: '`say`: whether to cut in instead of waiting for the agent to finish. No effect in a chat.',
        default: false,
        examples: [false],
      }),
    variables: variables.optional().meta({ description: '`set_variables`: merged into `collectedVariables`.' }),
    digits: keys.optional().meta({
      description: '`send_dtmf`: the keys to press; `w` is a pause of 500 ms. Phone calls only.',
      examples: ['1'],
    }),
    name: text({ min: 1, max: 64 })
      .optional()
      .meta({
        description: '`transfer`: an entry of `agentSettings.phone.transfers`. Phone calls only.',
        examples: ['front_desk'],
      }),
    to: phoneNumber.optional().meta({
      description: '`transfer`: a number in E.164 format, instead of `name`. Phone calls only.',
      examples: ['+81312345678'],
    }),
    mode: z
      .enum(transferModes)
      .optional()
      .meta({ description: '`transfer` with `to`: how the call is transferred.', default: 'cold', examples: ['cold'] }),
  })
  .superRefine((body, context) => {
    const add = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const { action } = body;
    const needsText = action === 'say' || action === 'add_context';
    if (needsText && body.text === undefined) add('text', 'is required');
    if (action === 'say' && body.text !== undefined && [...body.text].length > maxSay) {
      add('text', `must be at most ${maxSay} characters long`);
    }
    if (action === 'set_variables' && body.variables === undefined) add('variables', 'is required');
    if (action === 'send_dtmf' && body.digits === undefined) add('digits', 'is required');
    if (action !== 'transfer') return;
    if (body.name === undefined && body.to === undefined) add('name', 'is required, unless to is given');
    if (body.name !== undefined && body.to !== undefined) add('to', 'must not be given with name');
    if (body.name !== undefined && body.mode !== undefined) add('mode', 'must not be given with name');
  })
  .meta({ id: 'ControlCall', description: 'The action to take in a call.' });

export type CreateCall = z.output<typeof createCallBody>;
export type ControlCall = z.output<typeof controlCallBody>;
