import { z } from 'zod';
import { text } from '../text.ts';

/** What carriers and phone numbers have in common. */
export const none = z.object({});

export const carrierId = z
  .string()
  .meta({ description: 'The id of the carrier.', examples: ['car_01m7f8p2j40000q3w8c5n1r6ybdz9k'] });
export const phoneNumberId = z
  .string()
  .meta({ description: 'The id of the phone number.', examples: ['num_01m7f8p5t80000c9e4h2m7v1x6ryg3'] });

export const workspaceId = z
  .string()
  .max(64)
  .meta({ description: 'The workspace.', examples: ['ws_01m7f8nje00000m9s346q3d25vt4f5'] });

export const agentExample = 'agt_01m7f8nkmj0000v37e3s3e28jt97kb';

export const time = z.iso.datetime();
export const timeExample = '2026-11-18T09:30:00.000Z';

/** A stored number. */
export const storedNumber = z.string().max(16);

export const country = text({ min: 2, max: 2 })
  .refine((given) => /^[A-Z]{2}$/.test(given), 'must be a country code of two capital letters, such as JP')
  .meta({ description: 'A country, as in ISO 3166-1.', examples: ['JP'], pattern: '^[A-Z]{2}$' });

export const countryList = z.array(country).max(250);

export const checkNames = ['credentials', 'public_address', 'number_owned', 'inbound_route', 'agent'] as const;
export type CheckName = (typeof checkNames)[number];
export const checkStatuses = ['passed', 'failed', 'manual'] as const;

export const check = z
  .strictObject({
    name: z.enum(checkNames).meta({
      description:
        '`credentials`: the account can be used. `public_address`: the carrier can reach this service. `number_owned`: the number is in the account and can make calls. `inbound_route`: calls to the number arrive here. `agent`: the inbound agent can answer.',
      examples: ['public_address'],
    }),
    status: z.enum(checkStatuses).meta({
      description: '`manual`: only you can check it.',
      examples: ['failed'],
    }),
    message: z
      .string()
      .max(1000)
      .meta({ description: 'What was found.', examples: ['PUBLIC_URL is not set.'] }),
    remedy: z
      .string()
      .max(1000)
      .nullable()
      .meta({
        description: 'What to do about it. Null if it passed.',
        examples: ['Set PUBLIC_URL to the https address of this service, restart it, and verify again.'],
      }),
    checkedAt: time.meta({ description: 'When it was checked.', examples: [timeExample] }),
  })
  .meta({ id: 'PhoneCheck', description: 'Something that must be right before calls work.' });

export type Check = z.infer<typeof check>;

export const checks = z.array(check).meta({ description: 'The results of the last checks. Empty: not checked yet.' });
export const verifiedAt = time.nullable().meta({
  description: 'When it was last checked. Null: not yet.',
  examples: [timeExample],
});
export const createdAt = time.meta({ description: 'When it was created.', examples: [timeExample] });
export const updatedAt = time.meta({ description: 'When it was last changed.', examples: [timeExample] });

export const name = text({ min: 1, max: 255 });

export const deleted = z.literal(true).meta({ description: 'Always true.', examples: [true] });

/** Checks send requests to the carrier. */
export const checkRate = { name: 'phone-checks', requests: 10, windowSeconds: 60 } as const;
