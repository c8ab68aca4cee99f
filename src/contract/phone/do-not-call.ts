import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { text } from '../text.ts';
import { deleted, none, storedNumber, time, timeExample } from './values.ts';

export const maxDoNotCall = 1_000_000;
export const doNotCallSources = ['api', 'call'] as const;

const reason = text({ max: 255 })
  .nullable()
  .meta({ description: 'Why the number is on the list.', examples: ['Asked in the shop'] });

export const doNotCallEntry = z
  .strictObject({
    number: storedNumber.meta({ description: 'The number, in E.164 format.', examples: ['+819012345678'] }),
    reason,
    source: z.enum(doNotCallSources).meta({
      description: '`api`: added by a request. `call`: the person asked for it in a call.',
      examples: ['api'],
    }),
    createdAt: time.meta({ description: 'When it was added.', examples: [timeExample] }),
  })
  .meta({ id: 'DoNotCallEntry', description: 'A number that must not be called.' });

export type DoNotCallEntry = z.infer<typeof doNotCallEntry>;

export const listDoNotCall = defineOperation({
  id: 'doNotCall.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/do-not-call',
  scope: 'phone-numbers:read',
  risk: 'sensitive',
  summary: 'List numbers that must not be called',
  description:
    'Returns the do-not-call list of the workspace, newest first. No outbound call is made to these numbers.',
  params: none,
  query: z.object({
    ...pageParameters,
    q: text({ min: 1, max: 16 })
      .optional()
      .meta({ description: 'Return only numbers that start with this text.', examples: ['+8190'] }),
  }),
  body: null,
  success: pageSuccess('DoNotCallPage', doNotCallEntry, 'A page of numbers.'),
});

export const addDoNotCall = defineOperation({
  id: 'doNotCall.add',
  kind: 'action',
  method: 'POST',
  path: '/api/v1/do-not-call',
  scope: 'phone-numbers:write',
  risk: 'standard',
  summary: 'Add numbers that must not be called',
  description:
    'Adds numbers to the do-not-call list. Numbers that are on it already stay as they are. If one is not valid, none is added (400). A workspace can have up to 1,000,000 entries.',
  params: none,
  query: none,
  body: z
    .object({
      numbers: z
        .array(
          // Ten thousand take half a second to check, so that the service does it bit by bit.
          text({ min: 1, max: 40 }).meta({
            description: 'A number in E.164 format.',
            examples: ['+819012345678'],
            pattern: '^\\+[1-9]\\d{6,14}$',
          }),
        )
        .min(1)
        .max(10_000)
        .meta({ description: 'The numbers, in E.164 format.', examples: [['+819012345678']] }),
      reason: reason.default(null),
    })
    .meta({ id: 'AddDoNotCall', description: 'Numbers that must not be called.' }),
  bodyExample: { numbers: ['+819012345678'], reason: 'Asked in the shop' },
  success: {
    status: 201,
    description: 'How many numbers were added.',
    body: z
      .strictObject({
        added: z
          .int()
          .min(0)
          .meta({ description: 'How many numbers were added.', examples: [1] }),
        known: z
          .int()
          .min(0)
          .meta({ description: 'How many numbers were on the list already.', examples: [0] }),
      })
      .meta({ id: 'DoNotCallAdded', description: 'How many numbers were added.' }),
  },
});

export const deleteDoNotCall = defineOperation({
  id: 'doNotCall.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/do-not-call/{number}',
  scope: 'phone-numbers:write',
  risk: 'sensitive',
  summary: 'Remove a number from the do-not-call list',
  description: 'Removes a number from the do-not-call list: it can be called again.',
  params: z.object({
    number: z.string().meta({ description: 'The number, in E.164 format.', examples: ['+819012345678'] }),
  }),
  query: none,
  body: null,
  success: {
    status: 200,
    description: 'The number has been removed.',
    body: z
      .strictObject({
        number: storedNumber.meta({ description: 'The number.', examples: ['+819012345678'] }),
        deleted,
      })
      .meta({ id: 'DeletedDoNotCallEntry', description: 'Confirms the deletion.' }),
  },
});
