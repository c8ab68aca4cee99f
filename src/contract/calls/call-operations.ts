import { z } from 'zod';
import { filterOps, filterSchema } from '../filter.ts';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess, searchSuccess } from '../pagination.ts';
import { commaSeparated, queryBoolean, queryTime } from '../query.ts';
import { quoted } from '../quoted-names.ts';
import { text } from '../text.ts';
import { sentiments } from './analysis.ts';
import { call, callStatuses, callTypes, directions } from './call.ts';
import { callEndReasons } from './end-reasons.ts';
import { newCallExample } from './examples.ts';
import { callColumns, callValuePrefixes, searchFields, transcriptField } from './fields.ts';
import { callId, none, oneCall } from './one-call.ts';
import { controlActions, controlCallBody, createCallBody, redactCallBody, updateCallBody } from './requests.ts';

const etag = { ETag: 'The entity tag of the call. It changes with any byte of the call.' };
const agentExample = 'agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz';

const callPage = pageSuccess('CallPage', call, 'A page of calls.');

export const createCall = defineOperation({
  rateLimit: { name: 'calls' },
  id: 'calls.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/calls',
  scope: 'calls:write',
  risk: 'sensitive',
  summary: 'Create a call',
  description:
    'Creates a chat, a web call or a phone call. The agent version is fixed from then on. Chats and web calls wait 120 seconds for their callers; a phone call is dialed as soon as it is registered. If no slot is free, the response is 429 `CONCURRENCY_LIMIT_REACHED`, or the call is queued if `queue` is true. A version that could not be published is rejected with 422. A page joins a web call over the WebSocket in `access.liveUrl`.',
  params: none,
  query: none,
  body: createCallBody,
  bodyExample: { type: 'chat', agentId: agentExample, agentVersion: 'latest' },
  success: {
    status: 201,
    description: 'The new call. `access` contains an access token, unless the call is queued or a phone call.',
    body: call,
    example: newCallExample,
    headers: etag,
    isSecret: true,
  },
});

export const listCalls = defineOperation({
  id: 'calls.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/calls',
  scope: 'calls:read',
  risk: 'standard',
  summary: 'List calls',
  description: 'Returns the calls of the workspace, newest first. Filters combine with AND.',
  params: none,
  query: z.object({
    ...pageParameters,
    agentId: commaSeparated(text({ min: 1, max: 64 }))
      .optional()
      .meta({ description: 'Only calls of these agents, up to 10.', examples: [[agentExample]] }),
    agentVersion: commaSeparated(z.int().min(1))
      .optional()
      .meta({ description: 'Only calls with these versions of their agents.', examples: [[3]] }),
    type: commaSeparated(z.enum(callTypes))
      .optional()
      .meta({ description: 'Only calls of these types.', examples: [['chat']] }),
    direction: commaSeparated(z.enum(directions))
      .optional()
      .meta({ description: 'Only calls in these directions.', examples: [['inbound']] }),
    status: commaSeparated(z.enum(callStatuses))
      .optional()
      .meta({ description: 'Only calls with these statuses.', examples: [['ongoing', 'ended']] }),
    endReason: commaSeparated(z.enum(callEndReasons))
      .optional()
      .meta({ description: 'Only calls that ended for these reasons.', examples: [['caller_hangup']] }),
    sentiment: commaSeparated(z.enum(sentiments))
      .optional()
      .meta({ description: 'Only calls whose analysis found one of these sentiments.', examples: [['positive']] }),
    externalId: text({ min: 1, max: 255 })
      .optional()
      .meta({ description: 'Only calls with this reference. Commas are part of the value.', examples: ['visit-2981'] }),
    phoneNumberId: commaSeparated(text({ min: 1, max: 64 }))
      .optional()
      .meta({
        description: 'Only phone calls of these phone numbers.',
        examples: [['num_01m2k7qv3h0000x4t9w8c5n1r6ybdz']],
      }),
    batchId: commaSeparated(text({ min: 1, max: 64 }))
      .optional()
      .meta({ description: 'Only calls of these batches.', examples: [['bat_01m2k7qv3h0000x4t9w8c5n1r6ybdz']] }),
    from: text({ min: 1, max: 64 })
      .optional()
      .meta({
        description: 'Only calls from this number, as it is stored. In a URL, `+` is `%2B`.',
        examples: ['+819012345678'],
      }),
    to: text({ min: 1, max: 64 })
      .optional()
      .meta({
        description: 'Only calls to this number, as it is stored. In a URL, `+` is `%2B`.',
        examples: ['+81312345678'],
      }),
    successful: queryBoolean.optional().meta({
      description: 'Only calls that were successful according to their analysis (`true`), or that were not (`false`).',
      examples: [true],
    }),
    createdAfter: queryTime
      .optional()
      .meta({ description: 'Only calls created at this time or later.', examples: ['2026-11-15T00:00:00Z'] }),
    createdBefore: queryTime
      .optional()
      .meta({ description: 'Only calls created before this time.', examples: ['2026-11-16T00:00:00Z'] }),
  }),
  body: null,
  success: callPage,
});

export const searchCalls = defineOperation({
  id: 'calls.search',
  list: 'body',
  kind: 'read',
  method: 'POST',
  path: '/api/v1/calls/search',
  scope: 'calls:read',
  risk: 'standard',
  summary: 'Search calls',
  description:
    'Returns the calls that match a filter, newest first. A page scans up to 20,000 calls, or 100,000 in a search for what was said: if few of them match, it can be short or empty, and `nextCursor` continues the search.',
  params: none,
  query: none,
  body: z
    .object({
      filter: filterSchema(searchFields).meta({
        description: `A condition \`{"field", "op", "value"}\`, or \`{"all": […]}\`, \`{"any": […]}\`, \`{"not": …}\` of conditions, up to 50 conditions and 5 levels. Operators: ${quoted(filterOps)}. Fields: ${quoted(Object.keys(callColumns))}, and ${quoted(callValuePrefixes)} followed by a key. \`${transcriptField}\` is what caller and agent said in a call that is over and has \`dataStorageSetting\` \`everything\`. Its only operator is \`contains\`, with 2 to 100 characters that occur in one turn; case and width do not matter.`,
        examples: [
          {
            all: [
              { field: 'status', op: 'eq', value: 'ended' },
              { field: 'metadata.page', op: 'eq', value: '/booking' },
            ],
          },
        ],
      }),
      ...pageParameters,
      cursor: pageParameters.cursor.meta({
        description: 'The `pagination.nextCursor` of the previous page. Send it with the same filter.',
        examples: ['q8Zr1m0XbJv2T5nYw3KcUFsiYWd0XzAxbTJrN3F2M2gwMDAweDR0OXc4YzVuMXI2eWJkeiJd'],
      }),
    })
    .meta({ id: 'SearchCalls', description: 'What to search for.' }),
  bodyExample: { filter: { field: 'status', op: 'eq', value: 'ended' }, limit: 20 },
  success: searchSuccess(callPage),
});

export const getCall = defineOperation({
  ...oneCall,
  id: 'calls.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/calls/{id}',
  scope: 'calls:read',
  risk: 'standard',
  summary: 'Get a call',
  description: 'Returns a call, even while it is open.',
  condition: 'If-None-Match',
  success: { status: 200, description: 'The call.', body: call, headers: etag },
});

export const updateCall = defineOperation({
  ...oneCall,
  id: 'calls.update',
  kind: 'change',
  method: 'PATCH',
  path: '/api/v1/calls/{id}',
  scope: 'calls:write',
  risk: 'standard',
  summary: 'Update a call',
  description:
    'Changes `metadata` and `externalId` of a call, at any time. If only basic attributes of the call are stored, `metadata` cannot be set (422).',
  body: updateCallBody,
  bodyMediaType: 'application/merge-patch+json',
  bodyExample: { metadata: { page: '/booking' } },
  condition: 'If-Match',
  success: { status: 200, description: 'The call.', body: call, headers: etag },
});

export const deleteCall = defineOperation({
  ...oneCall,
  id: 'calls.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/calls/{id}',
  scope: 'calls:write',
  risk: 'destructive',
  summary: 'Delete a call',
  description:
    'Deletes a call that is over, along with its transcript, events, recording and analyses, and its content in stored webhook events. Fails with 409 while the call is open.',
  condition: 'If-Match',
  success: {
    status: 200,
    description: 'The call has been deleted.',
    body: z
      .strictObject({
        id: z
          .string()
          .max(64)
          .meta({ description: 'The id of the call.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] }),
        deleted: z.literal(true).meta({ description: 'Always true.', examples: [true] }),
      })
      .meta({ id: 'DeletedCall', description: 'Confirms the deletion.' }),
  },
});

export const redactCall = defineOperation({
  ...oneCall,
  id: 'calls.redact',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/calls/{id}/redact',
  scope: 'calls:write',
  risk: 'destructive',
  summary: 'Redact a call',
  description:
    'Applies a stricter storage setting to a call that is over: removes what that setting would not have kept, which is personal data or all content. The same content is removed from stored webhook events and saved responses. A setting looser than that of the call is rejected (422). Fails with 409 while the call is open.',
  body: redactCallBody,
  bodyExample: { to: 'everything_except_pii' },
  condition: 'If-Match',
  success: { status: 200, description: 'The call.', body: call, headers: etag },
});

export const endCall = defineOperation({
  ...oneCall,
  id: 'calls.end',
  acceptsAccessToken: true,
  kind: 'action',
  method: 'POST',
  path: '/api/v1/calls/{id}/end',
  scope: 'calls:write',
  risk: 'sensitive',
  summary: 'End a call',
  description:
    'Ends an ongoing call, or cancels one that has not started. A call that is over is returned unchanged. Returns 503 if the process that holds the audio of a voice call does not respond.',
  condition: 'If-Match',
  success: { status: 200, description: 'The call.', body: call, headers: etag },
});

export const controlCall = defineOperation({
  ...oneCall,
  id: 'calls.control',
  kind: 'action',
  method: 'POST',
  path: '/api/v1/calls/{id}/control',
  scope: 'calls:write',
  risk: 'sensitive',
  summary: 'Control a call',
  description:
    'Controls an ongoing call: makes the agent say something or take a turn, gives it context or variables, or mutes it. Returns 409 if the call is not ongoing, and 503 if the process that holds the audio of a voice call does not respond.',
  body: controlCallBody,
  bodyExample: { action: 'say', text: '担当者が参加しました。' },
  success: {
    status: 200,
    description: 'The action has been applied.',
    body: z
      .strictObject({
        callId,
        action: z.enum(controlActions).meta({ description: 'The action that was applied.', examples: ['say'] }),
        sequence: z
          .int()
          .min(1)
          .meta({ description: 'The sequence number of the `control_applied` call event.', examples: [4] }),
      })
      .meta({ id: 'ControlledCall', description: 'Confirms the control action.' }),
  },
});

export const getConcurrency = defineOperation({
  id: 'calls.concurrency.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/call-concurrency',
  scope: 'calls:read',
  risk: 'standard',
  summary: 'Get the number of open calls',
  description: 'Returns how many calls are open in the workspace, and how many can be open at once.',
  params: none,
  query: none,
  body: null,
  success: {
    status: 200,
    description: 'The open calls and their limits.',
    body: z
      .strictObject({
        limit: z
          .int()
          .min(1)
          .meta({ description: 'The maximum number of open voice calls.', examples: [20] }),
        active: z
          .int()
          .min(0)
          .meta({ description: 'The number of open voice calls.', examples: [3] }),
        reservedInbound: z
          .int()
          .min(0)
          .meta({ description: 'How many of them only inbound phone calls may use.', examples: [0] }),
        queued: z
          .int()
          .min(0)
          .meta({ description: 'The number of queued calls, including chats.', examples: [0] }),
        chatLimit: z
          .int()
          .min(1)
          .meta({ description: 'The maximum number of open chats.', examples: [200] }),
        chatActive: z
          .int()
          .min(0)
          .meta({ description: 'The number of open chats.', examples: [12] }),
      })
      .meta({ id: 'CallConcurrency', description: 'The open calls of the workspace and their limits.' }),
  },
});
