import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { onePage, pageParameters, pageSuccess } from '../pagination.ts';
import { text } from '../text.ts';
import { carrier, carrierProviders, carrierStatuses, createCarrierBody, updateCarrierBody } from './carrier.ts';
import { carrierId, checkRate, deleted, none, phoneNumberId, storedNumber } from './values.ts';

const etag = { ETag: 'The entity tag of the carrier. Checks and its status do not change it.' };
const oneCarrier = { params: z.object({ id: carrierId }), query: none, body: null } as const;

export const createCarrier = defineOperation({
  id: 'carriers.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/carriers',
  scope: 'phone-numbers:write',
  risk: 'sensitive',
  summary: 'Connect a carrier',
  description:
    'Connects an account at a provider of phone calls. Credentials are encrypted and never returned. Nothing is sent to the provider yet: verify the carrier next. A workspace can have up to 20 carriers.',
  params: none,
  query: none,
  body: createCarrierBody,
  bodyExample: {
    name: 'Twilio, Tokyo shop',
    provider: 'twilio',
    settings: { accountSid: 'AC00000000000000000000000000000000' },
    credentials: { authToken: '0000EXAMPLE0000EXAMPLE0000EXAMPL' },
  },
  success: { status: 201, description: 'The new carrier.', body: carrier, headers: etag },
});

export const listCarriers = defineOperation({
  id: 'carriers.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/carriers',
  scope: 'phone-numbers:read',
  risk: 'standard',
  summary: 'List carriers',
  description: 'Returns the carriers of the workspace, newest first.',
  params: none,
  query: z.object({
    ...pageParameters,
    provider: z
      .enum(carrierProviders)
      .optional()
      .meta({ description: 'Return only carriers of this provider.', examples: ['twilio'] }),
    status: z
      .enum(carrierStatuses)
      .optional()
      .meta({ description: 'Return only carriers with this status.', examples: ['active'] }),
    q: text({ min: 1, max: 255 })
      .optional()
      .meta({
        description: 'Return only carriers whose name contains this text, or whose id equals it. Case is ignored.',
        examples: ['tokyo'],
      }),
  }),
  body: null,
  success: pageSuccess('CarrierPage', carrier, 'A page of carriers.'),
});

export const getCarrier = defineOperation({
  ...oneCarrier,
  id: 'carriers.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/carriers/{id}',
  scope: 'phone-numbers:read',
  risk: 'standard',
  summary: 'Get a carrier',
  description: 'Returns a carrier, without its credentials.',
  success: { status: 200, description: 'The carrier.', body: carrier, headers: etag },
});

export const updateCarrier = defineOperation({
  ...oneCarrier,
  id: 'carriers.update',
  kind: 'change',
  method: 'PATCH',
  path: '/api/v1/carriers/{id}',
  scope: 'phone-numbers:write',
  risk: 'sensitive',
  summary: 'Update a carrier',
  description:
    'Changes the given fields. Settings, credentials and limits are merged; null removes a credential. After a setting or credential has changed, the carrier is unverified.',
  body: updateCarrierBody,
  bodyMediaType: 'application/merge-patch+json',
  bodyExample: { limits: { allowedCountries: ['JP'] } },
  condition: 'If-Match',
  success: { status: 200, description: 'The carrier.', body: carrier, headers: etag },
});

export const deleteCarrier = defineOperation({
  ...oneCarrier,
  id: 'carriers.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/carriers/{id}',
  scope: 'phone-numbers:write',
  risk: 'destructive',
  summary: 'Delete a carrier',
  description:
    'Deletes a carrier and its credentials. It cannot be deleted while it has phone numbers (409). Nothing changes at the provider.',
  condition: 'If-Match',
  success: {
    status: 200,
    description: 'The carrier has been deleted.',
    body: z
      .strictObject({ id: carrierId.max(64), deleted })
      .meta({ id: 'DeletedCarrier', description: 'Confirms the deletion.' }),
  },
});

export const verifyCarrier = defineOperation({
  ...oneCarrier,
  id: 'carriers.verify',
  kind: 'action',
  method: 'POST',
  path: '/api/v1/carriers/{id}/verify',
  scope: 'phone-numbers:write',
  risk: 'sensitive',
  rateLimit: checkRate,
  summary: 'Verify a carrier',
  description:
    'Checks the credentials and the public address of this service, and returns the carrier with the results: the response is 200 even if a check failed. It takes up to 20 seconds.',
  success: { status: 200, description: 'The carrier, with its checks.', body: carrier, headers: etag },
});

const numberAtCarrier = z
  .strictObject({
    number: storedNumber.meta({ description: 'The number, in E.164 format.', examples: ['+81312345678'] }),
    name: z
      .string()
      .max(255)
      .meta({ description: 'The name of the number at the carrier.', examples: ['(03) 1234-5678'] }),
    voice: z.boolean().meta({ description: 'Whether it can make and receive calls.', examples: [true] }),
    importedAs: phoneNumberId
      .max(64)
      .nullable()
      .meta({ description: 'The phone number here. Null: it is not imported.', examples: [null] }),
  })
  .meta({ id: 'NumberAtCarrier', description: 'A number of an account at a provider.' });

export type NumberAtCarrier = z.infer<typeof numberAtCarrier>;

export const listCarrierNumbers = defineOperation({
  ...oneCarrier,
  id: 'carriers.numbers.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/carriers/{id}/numbers',
  scope: 'phone-numbers:read',
  risk: 'standard',
  summary: 'List the numbers of a carrier',
  description:
    'Returns the numbers of the account at the provider, which can be imported. It asks the provider, and fails with 502 if that does not respond.',
  success: {
    status: 200,
    description: 'The numbers of the account.',
    body: z
      .strictObject({
        items: z.array(numberAtCarrier).meta({ description: 'The numbers, as the carrier lists them.' }),
        pagination: onePage,
      })
      .meta({ id: 'NumberAtCarrierPage', description: 'All numbers of an account.' }),
  },
});
