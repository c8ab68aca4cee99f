import { z } from 'zod';
import { phoneNumber as anyNumber } from '../phone-number.ts';
import { text } from '../text.ts';
import {
  agentExample,
  carrierId,
  checks,
  country,
  countryList,
  createdAt,
  name,
  phoneNumberId,
  storedNumber,
  updatedAt,
  verifiedAt,
  workspaceId,
} from './values.ts';

export const maxPhoneNumbers = 1000;
const maxBlocked = 1000;
const maxOutboundAgents = 100;

export const phoneNumberStatuses = ['verifying', 'active', 'partial', 'failed'] as const;
export type PhoneNumberStatus = (typeof phoneNumberStatuses)[number];

const versionMessage = 'must be a version number or published';

const agentVersion = z
  .union([z.int(versionMessage).min(1, versionMessage).max(999_999_999, versionMessage), z.literal('published')], {
    error: versionMessage,
  })
  .meta({
    description:
      'The version of the agent: a number, or `published` for the newest published version at the time of each call.',
    examples: ['published'],
  });

const fallbackFields = {
  to: { description: 'The number that the call is forwarded to, in E.164 format.', examples: ['+81312345678'] },
  text: text({ min: 1, max: 500 }).meta({
    description: 'What the caller hears, in the voice of the carrier, before the call ends.',
    examples: ['ただいま電話に出ることができません。'],
  }),
};
const fallbackType = <const Type extends string>(type: Type, description: string) =>
  z.literal(type).meta({ description, examples: [type] });
const forward = fallbackType('number', 'The call is forwarded to another number.');
const say = fallbackType('message', 'The caller hears a message.');
const reject = fallbackType('reject', 'The caller hears the busy signal.');

const fallbackMeta = {
  description: 'What happens to calls that the agent cannot answer. Null: the caller hears the busy signal.',
  examples: [null],
};

const named = (id: string, description: string) => ({ id, description });
const forwarding = 'Calls are forwarded to another number.';
const message = 'Callers hear a message.';
const rejection = 'Callers hear the busy signal.';

const storedFallback = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: forward, to: storedNumber.meta(fallbackFields.to) })
      .meta(named('NumberFallback', forwarding)),
    z.strictObject({ type: say, text: fallbackFields.text }).meta(named('MessageFallback', message)),
    z.strictObject({ type: reject }).meta(named('RejectFallback', rejection)),
  ])
  .nullable()
  .meta(fallbackMeta);

const givenFallback = z
  .discriminatedUnion('type', [
    z.object({ type: forward, to: anyNumber.meta(fallbackFields.to) }).meta(named('SetNumberFallback', forwarding)),
    z.object({ type: say, text: fallbackFields.text }).meta(named('SetMessageFallback', message)),
    z.object({ type: reject }).meta(named('SetRejectFallback', rejection)),
  ])
  .nullable()
  .meta(fallbackMeta);

export type Fallback = z.infer<typeof storedFallback>;

const inboundFields = {
  enabled: z.boolean().meta({ description: 'Whether calls to the number are answered.', examples: [true] }),
  agentId: text({ min: 1, max: 64 })
    .nullable()
    .meta({ description: 'The agent that answers. Null: nobody answers.', examples: [agentExample] }),
  agentVersion,
  requestUrl: text({ min: 1, max: 2048 })
    .nullable()
    .meta({
      description:
        'Asked before each call is answered: its response can choose the agent, set variables, or reject the call. Requests are signed with the secret of the agent’s webhook. Null: nothing is asked.',
      examples: ['https://shop.example.com/hooks/inbound'],
    }),
  allowedCountries: countryList.meta({
    description: 'Only calls from these countries are answered, and calls with a withheld number. Empty: all.',
    examples: [[]],
  }),
};
const blockedMeta = { description: 'Calls from these numbers are rejected.', examples: [[]] };

const outboundFields = {
  enabled: z.boolean().meta({
    description: 'Whether calls can be made from the number. A new number cannot until you allow it.',
    examples: [false],
  }),
  agentIds: z
    .array(text({ min: 1, max: 64 }))
    .max(maxOutboundAgents)
    .meta({ description: 'Only these agents may call from the number. Empty: any agent.', examples: [[]] }),
  ringTimeoutMs: z
    .int()
    .min(5000)
    .max(120_000)
    .meta({ description: 'How long a call rings, in milliseconds.', examples: [30_000] }),
};

export const phoneNumber = z
  .strictObject({
    id: phoneNumberId.max(64),
    workspaceId,
    carrierId: carrierId.max(64),
    number: storedNumber.meta({ description: 'The number, in E.164 format.', examples: ['+81312345678'] }),
    name: name.meta({ description: 'A name for the number.', examples: ['Tokyo shop'] }),
    country: country.meta({ description: 'The country of the number; `ZZ` if it has none.', examples: ['JP'] }),
    status: z.enum(phoneNumberStatuses).meta({
      description:
        '`verifying`: it is being checked. `active`: all checks passed. `partial`: calls work in one direction. `failed`: calls work in neither.',
      examples: ['active'],
    }),
    inbound: z
      .strictObject({
        ...inboundFields,
        fallback: storedFallback,
        blockedNumbers: z.array(storedNumber).max(maxBlocked).meta(blockedMeta),
      })
      .meta({ id: 'InboundCalls', description: 'What happens to calls to the number.' }),
    outbound: z
      .strictObject(outboundFields)
      .meta({ id: 'OutboundCalls', description: 'Which calls can be made from the number.' }),
    checks,
    verifiedAt,
    providerNumberId: z
      .string()
      .max(64)
      .nullable()
      .meta({
        description: 'The id of the number at the carrier. Null until it is known.',
        examples: ['PN00000000000000000000000000000000'],
      }),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'PhoneNumber', description: 'A phone number of a carrier, and who answers it.' });

export type PhoneNumber = z.infer<typeof phoneNumber>;

const givenInbound = z
  .object({
    enabled: inboundFields.enabled.optional(),
    agentId: inboundFields.agentId.optional(),
    agentVersion: inboundFields.agentVersion.optional(),
    requestUrl: inboundFields.requestUrl.optional(),
    fallback: givenFallback.optional(),
    allowedCountries: inboundFields.allowedCountries.optional(),
    blockedNumbers: z
      .array(anyNumber.meta({ description: 'A number in E.164 format.', examples: ['+81312345678'] }))
      .max(maxBlocked)
      .optional()
      .meta(blockedMeta),
  })
  .meta({
    id: 'InboundCallChanges',
    description: 'What happens to calls to the number. Omitted fields keep their value; `fallback` is replaced.',
  });

const givenOutbound = z
  .object({
    enabled: outboundFields.enabled.optional(),
    agentIds: outboundFields.agentIds.optional(),
    ringTimeoutMs: outboundFields.ringTimeoutMs.optional(),
  })
  .meta({
    id: 'OutboundCallChanges',
    description: 'Which calls can be made from the number. Omitted fields keep their value.',
  });

export const defaultInbound = {
  enabled: true,
  agentId: null,
  agentVersion: 'published',
  requestUrl: null,
  fallback: null,
  allowedCountries: [],
  blockedNumbers: [],
} as const;
export const defaultOutbound = { enabled: false, agentIds: [], ringTimeoutMs: 30_000 } as const;

export const importNumberBody = z
  .object({
    carrierId: text({ min: 1, max: 64 }).meta({
      description: 'The carrier that has the number.',
      examples: ['car_01m7f8p2j40000q3w8c5n1r6ybdz9k'],
    }),
    number: anyNumber.meta({
      description:
        'The number, in E.164 format. It must be a number of the account; for a carrier of provider `test`, `+9991` and any seven digits.',
      examples: ['+81312345678'],
    }),
    name: name
      .optional()
      .meta({ description: 'A name for the number. By default the number itself.', examples: ['Tokyo shop'] }),
    inbound: givenInbound.default({}),
    outbound: givenOutbound.default({}),
    configureCarrier: z
      .boolean()
      .default(true)
      .meta({
        description:
          'Whether to set the voice URL and the status callback of the number at the carrier, so that its calls arrive here.',
        examples: [true],
      }),
  })
  .meta({ id: 'ImportPhoneNumber', description: 'A number of a carrier to use here.' });

export const updateNumberBody = z
  .object({
    name: name.optional().meta({ description: 'A name for the number.', examples: ['Tokyo shop'] }),
    inbound: givenInbound.optional(),
    outbound: givenOutbound.optional(),
  })
  .meta({ id: 'UpdatePhoneNumber', description: 'The fields to change.' });

export type NewNumberFields = z.output<typeof importNumberBody>;
export type NumberChanges = z.output<typeof updateNumberBody>;
