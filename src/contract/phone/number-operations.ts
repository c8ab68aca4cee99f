import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { phoneNumber as anyNumber } from '../phone-number.ts';
import { text } from '../text.ts';
import { carrierProviders } from './carrier.ts';
import { importNumberBody, phoneNumber, phoneNumberStatuses, updateNumberBody } from './phone-number.ts';
import { agentExample, checkRate, deleted, none, phoneNumberId } from './values.ts';

const etag = { ETag: 'The entity tag of the phone number. Checks and its status do not change it.' };
const oneNumber = { params: z.object({ id: phoneNumberId }), query: none, body: null } as const;

export const importPhoneNumber = defineOperation({
  id: 'phoneNumbers.import',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/phone-numbers',
  scope: 'phone-numbers:write',
  risk: 'sensitive',
  summary: 'Import a phone number',
  description:
    'Imports a number that you already have at a carrier; nothing is bought. It is checked and routed to this service shortly after the response: `status` is `verifying` until then. A number cannot call anyone until `outbound.enabled` is true. A workspace can have up to 1,000 numbers.',
  params: none,
  query: none,
  body: importNumberBody,
  bodyExample: {
    carrierId: 'car_01m7f8p2j40000q3w8c5n1r6ybdz9k',
    number: '+81312345678',
    inbound: { agentId: agentExample },
  },
  success: { status: 201, description: 'The new phone number.', body: phoneNumber, headers: etag },
});

export const listPhoneNumbers = defineOperation({
  id: 'phoneNumbers.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/phone-numbers',
  scope: 'phone-numbers:read',
  risk: 'standard',
  summary: 'List phone numbers',
  description: 'Returns the phone numbers of the workspace, newest first.',
  params: none,
  query: z.object({
    ...pageParameters,
    carrierId: text({ min: 1, max: 64 })
      .optional()
      .meta({
        description: 'Return only numbers of this carrier.',
        examples: ['car_01m7f8p2j40000q3w8c5n1r6ybdz9k'],
      }),
    provider: z
      .enum(carrierProviders)
      .optional()
      .meta({ description: 'Return only numbers of carriers of this provider.', examples: ['twilio'] }),
    status: z
      .enum(phoneNumberStatuses)
      .optional()
      .meta({ description: 'Return only numbers with this status.', examples: ['active'] }),
    agentId: text({ min: 1, max: 64 })
      .optional()
      .meta({ description: 'Return only numbers that this agent answers.', examples: [agentExample] }),
    q: text({ min: 1, max: 255 })
      .optional()
      .meta({
        description:
          'Return only numbers whose name or digits contain this text, or whose id equals it. Case is ignored.',
        examples: ['1234'],
      }),
  }),
  body: null,
  success: pageSuccess('PhoneNumberPage', phoneNumber, 'A page of phone numbers.'),
});

export const getPhoneNumber = defineOperation({
  ...oneNumber,
  id: 'phoneNumbers.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/phone-numbers/{id}',
  scope: 'phone-numbers:read',
  risk: 'standard',
  summary: 'Get a phone number',
  description: 'Returns a phone number.',
  success: { status: 200, description: 'The phone number.', body: phoneNumber, headers: etag },
});

export const updatePhoneNumber = defineOperation({
  ...oneNumber,
  id: 'phoneNumbers.update',
  kind: 'change',
  method: 'PATCH',
  path: '/api/v1/phone-numbers/{id}',
  scope: 'phone-numbers:write',
  risk: 'sensitive',
  summary: 'Update a phone number',
  description:
    'Changes the given fields; `inbound` and `outbound` are merged. The next call uses the new settings. The number itself and its carrier cannot be changed.',
  body: updateNumberBody,
  bodyMediaType: 'application/merge-patch+json',
  bodyExample: { outbound: { enabled: true } },
  condition: 'If-Match',
  success: { status: 200, description: 'The phone number.', body: phoneNumber, headers: etag },
});

export const deletePhoneNumber = defineOperation({
  ...oneNumber,
  id: 'phoneNumbers.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/phone-numbers/{id}',
  scope: 'phone-numbers:write',
  risk: 'destructive',
  summary: 'Delete a phone number',
  description:
    'Removes a number from this service. You keep it at the carrier, where its former voice URL is restored shortly after, unless somebody has changed it meanwhile. Not possible while one of its calls is open (409).',
  condition: 'If-Match',
  success: {
    status: 200,
    description: 'The phone number has been deleted.',
    body: z
      .strictObject({ id: phoneNumberId.max(64), deleted })
      .meta({ id: 'DeletedPhoneNumber', description: 'Confirms the deletion.' }),
  },
});

export const verifyPhoneNumber = defineOperation({
  ...oneNumber,
  id: 'phoneNumbers.verify',
  kind: 'action',
  method: 'POST',
  path: '/api/v1/phone-numbers/{id}/verify',
  scope: 'phone-numbers:write',
  risk: 'sensitive',
  rateLimit: checkRate,
  summary: 'Verify a phone number',
  description:
    'Checks the number, its carrier and its agent, and returns the number with the results: the response is 200 even if a check failed. It takes up to 20 seconds.',
  success: { status: 200, description: 'The phone number, with its checks.', body: phoneNumber, headers: etag },
});

export const testPhones = ['01', '08', '11', '12'] as const;
export type TestPhone = (typeof testPhones)[number];

export const testPhoneNumber = defineOperation({
  ...oneNumber,
  id: 'phoneNumbers.test',
  kind: 'action',
  method: 'POST',
  path: '/api/v1/phone-numbers/{id}/test',
  scope: 'phone-numbers:write',
  risk: 'sensitive',
  summary: 'Place a test call to a phone number',
  description:
    'A program calls this number and talks to its agent; follow the call to read along. Only for numbers of a carrier of provider `test` (422).',
  body: z
    .object({
      phone: z
        .literal(testPhones)
        .default('01')
        .meta({
          description: '`01` talks, `08` hangs up at once, `11` is silent, `12` presses 1 2 3 #.',
          examples: ['01'],
        }),
      from: anyNumber.optional().meta({
        description: 'The number of the caller, in E.164 format. By default `+999000000` and the phone.',
        examples: ['+99900000001'],
      }),
    })
    .meta({ id: 'TestPhoneNumber', description: 'Which phone calls.' }),
  isBodyOptional: true,
  bodyExample: { phone: '01' },
  success: {
    status: 201,
    description: 'The number was called.',
    body: z
      .strictObject({
        callId: z
          .string()
          .max(64)
          .meta({ description: 'The call.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] }),
      })
      .meta({ id: 'PhoneNumberTest', description: 'The call of a test phone.' }),
  },
});
