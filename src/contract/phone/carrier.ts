import { z } from 'zod';
import { text } from '../text.ts';
import {
  carrierId,
  checks,
  countryList,
  createdAt,
  name,
  time,
  timeExample,
  updatedAt,
  verifiedAt,
  workspaceId,
} from './values.ts';

export const maxCarriers = 20;

export const carrierProviders = ['test', 'twilio'] as const;
export type CarrierProvider = (typeof carrierProviders)[number];
export const carrierStatuses = ['unverified', 'active', 'failing'] as const;
export type CarrierStatus = (typeof carrierStatuses)[number];

export const credentialNames = ['authToken', 'apiKeySid', 'apiKeySecret'] as const;
export type CredentialName = (typeof credentialNames)[number];

const provider = z.enum(carrierProviders).meta({
  description:
    '`twilio`: an account at Twilio. `test`: a carrier inside this service, which needs no account and no network, and whose phones are programs.',
  examples: ['twilio'],
});

const credentialState = z
  .strictObject({
    set: z.boolean().meta({ description: 'Whether it is set.', examples: [true] }),
    updatedAt: time.nullable().meta({ description: 'When it was last set. Null: never.', examples: [timeExample] }),
  })
  .meta({ id: 'CredentialState', description: 'Whether a credential is set. It is never returned.' });

const accountSid = text({ min: 34, max: 34 }).refine(
  (given) => /^AC[0-9a-fA-F]{32}$/.test(given),
  'must be AC and 32 hexadecimal digits, as the console of Twilio shows it',
);
const accountSidMeta = {
  description: 'The SID of the account at Twilio.',
  examples: ['AC00000000000000000000000000000000'],
  pattern: '^AC[0-9a-fA-F]{32}$',
};

const limitFields = {
  allowedCountries: countryList.nullable().meta({
    description:
      'The countries that may be called, by the country of the dialed number. Null: those of the carrier’s phone numbers.',
    examples: [['JP']],
  }),
  maxMinutesPerDay: z
    .int()
    .min(0)
    .max(1_000_000)
    .meta({
      description:
        'Minutes of outbound calls per day in UTC, including calls in progress. Once they are used up, no new call is dialed.',
      examples: [600],
    }),
  maxCallsPerSecond: z
    .number()
    .min(0.1)
    .max(50)
    .meta({
      description: 'How many calls are dialed per second. It must not exceed the limit of the account.',
      examples: [1],
    }),
  maxConcurrent: z
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .meta({ description: 'How many calls may be open at a time. Null: no limit.', examples: [null] }),
};

export const defaultLimits = {
  allowedCountries: null,
  maxMinutesPerDay: 600,
  maxCallsPerSecond: 1,
  maxConcurrent: null,
} as const;

const limits = z.strictObject(limitFields).meta({ id: 'CarrierLimits', description: 'What may be dialed.' });

export const carrier = z
  .strictObject({
    id: carrierId.max(64),
    workspaceId,
    name: name.meta({ description: 'A name for the carrier.', examples: ['Twilio, Tokyo shop'] }),
    provider,
    settings: z
      .strictObject({ accountSid: accountSid.optional().meta(accountSidMeta) })
      .meta({ id: 'CarrierSettings', description: 'The settings of the provider. Empty for `test`.' }),
    credentials: z
      .strictObject({
        authToken: credentialState.optional(),
        apiKeySid: credentialState.optional(),
        apiKeySecret: credentialState.optional(),
      })
      .meta({
        id: 'CarrierCredentialStates',
        description: 'Which credentials are set. Their values are never returned. Empty for `test`.',
      }),
    limits,
    status: z.enum(carrierStatuses).meta({
      description:
        '`unverified`: not checked since the last change, or a check failed. `failing`: the last three calls failed at the carrier; it still dials, and the next success makes it active.',
      examples: ['active'],
    }),
    checks,
    verifiedAt,
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Carrier', description: 'An account at a provider of phone calls.' });

export type Carrier = z.infer<typeof carrier>;
export type CarrierLimits = Carrier['limits'];

const credential = (description: string, example: string) =>
  text({ min: 1, max: 256 })
    .refine((given) => /^[\x21-\x7e]+$/.test(given), 'must consist of printable ASCII characters without spaces')
    .meta({ description, examples: [example], pattern: '^[\\x21-\\x7e]+$' });

const credentialFields = {
  authToken: credential(
    'The auth token of the account: Twilio signs its requests with it. It is never returned.',
    '0000EXAMPLE0000EXAMPLE0000EXAMPL',
  ),
  apiKeySid: credential(
    'The SID of an API key, which is then used for requests to Twilio. It is never returned.',
    'SK00000000000000000000000000000000',
  ),
  apiKeySecret: credential('The secret of that API key. It is never returned.', '0000EXAMPLE0000EXAMPLE0000EXAMPL'),
};

const givenLimits = z
  .object({
    allowedCountries: limitFields.allowedCountries.optional(),
    maxMinutesPerDay: limitFields.maxMinutesPerDay.optional(),
    maxCallsPerSecond: limitFields.maxCallsPerSecond.optional(),
    maxConcurrent: limitFields.maxConcurrent.optional(),
  })
  .meta({ id: 'CarrierLimitChanges', description: 'What may be dialed. Omitted limits keep their value.' });

const givenSettings = z
  .object({ accountSid: accountSid.optional().meta(accountSidMeta) })
  .meta({ id: 'CarrierSettingChanges', description: 'The settings of the provider. None for `test`.' });

const removable = (field: z.ZodType<string>) =>
  field
    .nullable()
    .optional()
    .meta({ ...field.meta() });

const carrierName = name.meta({ description: 'A name for the carrier.', examples: ['Twilio, Tokyo shop'] });

export const createCarrierBody = z
  .object({
    name: carrierName,
    provider,
    settings: givenSettings.default({}),
    credentials: z
      .object({
        authToken: credentialFields.authToken.optional(),
        apiKeySid: credentialFields.apiKeySid.optional(),
        apiKeySecret: credentialFields.apiKeySecret.optional(),
      })
      .default({})
      .meta({
        id: 'CarrierCredentials',
        description:
          'Twilio: `authToken`, and optionally an API key with `apiKeySid` and `apiKeySecret`. None for `test`.',
      }),
    limits: givenLimits.default({}),
  })
  .meta({ id: 'CreateCarrier', description: 'A new carrier.' });

export const updateCarrierBody = z
  .object({
    name: carrierName.optional(),
    settings: givenSettings.optional(),
    credentials: z
      .object({
        authToken: removable(credentialFields.authToken),
        apiKeySid: removable(credentialFields.apiKeySid),
        apiKeySecret: removable(credentialFields.apiKeySecret),
      })
      .optional()
      .meta({
        id: 'CarrierCredentialChanges',
        description: 'The credentials to change. Omitted ones stay as they are, and null removes one.',
      }),
    limits: givenLimits.optional(),
  })
  .meta({ id: 'UpdateCarrier', description: 'The fields to change.' });

export type NewCarrierFields = z.output<typeof createCarrierBody>;
export type CarrierChanges = z.output<typeof updateCarrierBody>;
