import { z } from 'zod';
import { defineContract } from '../area.ts';
import { callEndReasons } from '../end-reasons.ts';
import { filterOps, filterSchema } from '../filter.ts';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess, searchSuccess, waitParameter } from '../pagination.ts';
import { commaSeparated, queryBoolean, queryTime } from '../query.ts';
import { callScopes } from '../scopes/calls.ts';
import { text } from '../text.ts';
import { turn } from '../turn.ts';
import { call, callAccess, callStatuses, callTypes, directions, sentiments } from './call.ts';
import { callEvent } from './call-events.ts';
import { chatTurnsExample, newCallExample } from './examples.ts';
import { callColumns, callFields, callValuePrefixes } from './fields.ts';
import {
  controlActions,
  controlCallBody,
  createCallBody,
  createMessageBody,
  createTokenBody,
  redactCallBody,
  updateCallBody,
} from './requests.ts';

const none = z.object({});
const id = z.string().meta({ description: 'The id of the call.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] });
const one = { params: z.object({ id }), query: none, body: null } as const;
const etag = { ETag: 'The entity tag of the call, which changes with every byte of it.' };
const agentExample = 'agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz';

const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

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
    'Creates a chat or a web call. The version of the agent is fixed from now on. The call waits 120 seconds for its caller. Without a free slot, the response is 429 `CONCURRENCY_LIMIT_REACHED`, or the call is queued if `queue` is true. A version that could not be published is rejected with 422. Web calls cannot be joined yet.',
  params: none,
  query: none,
  body: createCallBody,
  bodyExample: { type: 'chat', agentId: agentExample, agentVersion: 'latest' },
  success: {
    status: 201,
    description: 'The new call. `access` has an access token, unless the call is queued.',
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
      .meta({ description: 'Only calls with this reference. A comma is part of it.', examples: ['visit-2981'] }),
    successful: queryBoolean.optional().meta({
      description:
        'Only calls whose analysis says that they were successful (`true`), or that they were not (`false`).',
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
    'Returns the calls that match a filter, newest first. A page looks at up to 20,000 calls: if few of them match, it can be short or empty, and `nextCursor` continues.',
  params: none,
  query: none,
  body: z
    .object({
      filter: filterSchema(callFields).meta({
        description: `A condition \`{"field", "op", "value"}\`, or \`{"all": […]}\`, \`{"any": […]}\`, \`{"not": …}\` of conditions, up to 50 conditions and 5 levels. Operators: ${quoted(filterOps)}. Fields: ${quoted(Object.keys(callColumns))}, and ${quoted(callValuePrefixes)} followed by a key.`,
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
  ...one,
  id: 'calls.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/calls/{id}',
  scope: 'calls:read',
  risk: 'standard',
  summary: 'Get a call',
  description: 'Returns a call, also while it is open.',
  condition: 'If-None-Match',
  success: { status: 200, description: 'The call.', body: call, headers: etag },
});

export const updateCall = defineOperation({
  ...one,
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
  ...one,
  id: 'calls.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/calls/{id}',
  scope: 'calls:write',
  risk: 'destructive',
  summary: 'Delete a call',
  description:
    'Deletes a call that is over, with its transcript, events, recording and analyses, and its content in stored webhook events. Not possible while it is open (409).',
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
      .meta({ id: 'DeletedCall', description: 'The confirmation of a deletion.' }),
  },
});

export const redactCall = defineOperation({
  ...one,
  id: 'calls.redact',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/calls/{id}/redact',
  scope: 'calls:write',
  risk: 'destructive',
  summary: 'Redact a call',
  description:
    'Removes what a stricter storage setting would not have kept from a call that is over: personal data, or all content. Also removes it from stored webhook events and saved responses. A setting that is looser than that of the call is rejected (422). Not possible while the call is open (409).',
  body: redactCallBody,
  bodyExample: { to: 'everything_except_pii' },
  condition: 'If-Match',
  success: { status: 200, description: 'The call.', body: call, headers: etag },
});

export const endCall = defineOperation({
  ...one,
  id: 'calls.end',
  acceptsAccessToken: true,
  kind: 'change',
  method: 'POST',
  path: '/api/v1/calls/{id}/end',
  scope: 'calls:write',
  risk: 'sensitive',
  summary: 'End a call',
  description: 'Ends an ongoing call, or cancels one that has not started. A call that is over is returned unchanged.',
  condition: 'If-Match',
  success: { status: 200, description: 'The call.', body: call, headers: etag },
});

export const controlCall = defineOperation({
  ...one,
  id: 'calls.control',
  kind: 'action',
  method: 'POST',
  path: '/api/v1/calls/{id}/control',
  scope: 'calls:write',
  risk: 'sensitive',
  summary: 'Control a call',
  description:
    'Acts in an ongoing call: makes the agent say something or take a turn, gives it context or variables, or mutes it. 409 if the call is not ongoing.',
  body: controlCallBody,
  bodyExample: { action: 'say', text: '担当者が参加しました。' },
  success: {
    status: 200,
    description: 'The action has been applied.',
    body: z
      .strictObject({
        callId: z
          .string()
          .max(64)
          .meta({ description: 'The call.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] }),
        action: z.enum(controlActions).meta({ description: 'What was done.', examples: ['say'] }),
        sequence: z
          .int()
          .min(1)
          .meta({ description: 'The number of the call event `control_applied`.', examples: [4] }),
      })
      .meta({ id: 'ControlledCall', description: 'The confirmation of a control action.' }),
  },
});

export const createMessage = defineOperation({
  ...one,
  id: 'calls.messages.create',
  acceptsAccessToken: true,
  kind: 'action',
  method: 'POST',
  path: '/api/v1/calls/{id}/messages',
  scope: 'calls:write',
  risk: 'standard',
  summary: 'Send a message',
  description:
    'Sends a message of the caller in a chat and returns the reply. The first message starts the chat. With `Accept: text/event-stream` the reply is streamed as server-sent events: `text {turn, delta}`, `tool {name}`, and at the end `done` with the JSON body, or `error` with the error body. If a reply fails (502), send the request again with the same `Idempotency-Key`: the message is not added twice, and no tool that has returned is called again.',
  body: createMessageBody,
  isBodyOptional: true,
  bodyExample: { text: '明日の15時に予約できますか。' },
  success: {
    status: 200,
    description: 'The message and the turns it produced.',
    example: { turns: chatTurnsExample },
    body: z
      .strictObject({
        turns: z.array(turn).meta({ description: 'The caller’s turn and the turns that followed, in order.' }),
        status: z.enum(callStatuses).meta({
          description: 'The status of the call afterwards: the agent may have hung up.',
          examples: ['ongoing'],
        }),
      })
      .meta({ id: 'CallReply', description: 'A message and the reply to it.' }),
    media: { type: 'text/event-stream', description: 'The reply while it is generated, as server-sent events.' },
  },
});

export const listCallEvents = defineOperation({
  ...one,
  id: 'calls.events.list',
  isLongPoll: true,
  acceptsAccessToken: true,
  kind: 'read',
  method: 'GET',
  path: '/api/v1/calls/{id}/events',
  scope: 'calls:read',
  risk: 'standard',
  summary: 'List the events of a call',
  description:
    'Returns what happened in a call, oldest first. While the call is open, `nextCursor` is never null, so that a client that reads page after page follows the call to its end. With `waitSeconds`, a request waits for the next event.',
  query: z.object({
    ...pageParameters,
    ...waitParameter,
  }),
  success: pageSuccess('CallEventPage', callEvent, 'A page of events.', 'oldest first'),
});

export const transcript = z
  .strictObject({
    callId: z
      .string()
      .max(64)
      .meta({ description: 'The call.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] }),
    status: z.enum(['none', 'live', 'available']).meta({
      description: '`none` if nobody has spoken, `live` while the call is ongoing.',
      examples: ['available'],
    }),
    language: z
      .string()
      .max(64)
      .meta({ description: 'The language of the agent.', examples: ['ja'] }),
    turns: z.array(turn).meta({ description: 'What was said, in order.' }),
  })
  .meta({ id: 'Transcript', description: 'What was said in a call.' });

export const getTranscript = defineOperation({
  ...one,
  id: 'calls.transcript.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/calls/{id}/transcript',
  scope: 'calls:read',
  risk: 'sensitive',
  summary: 'Get the transcript of a call',
  description:
    'Returns what was said. While the call is open, returns what has been stored so far. If there is no transcript, the response is 404 with `details.reason` `not_stored` or `deleted`.',
  success: { status: 200, description: 'The transcript.', body: transcript },
});

export const getRecording = defineOperation({
  ...one,
  id: 'calls.recording.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/calls/{id}/recording',
  scope: 'calls:read',
  risk: 'sensitive',
  summary: 'Get the recording of a call',
  description:
    'Returns a link to the recording, which is valid for 5 minutes. If there is no recording, the response is 404 with `details.reason` `none`, `not_stored`, `deleted` or `failed`. While it is being made, the response is 409. Calls are not recorded yet.',
  success: {
    status: 200,
    description: 'A link to the recording.',
    body: z
      .strictObject({
        callId: z
          .string()
          .max(64)
          .meta({ description: 'The call.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] }),
        url: z
          .string()
          .max(4096)
          .meta({ description: 'The URL of the file.', examples: ['/media/v1/…'] }),
        expiresAt: z.iso
          .datetime()
          .meta({ description: 'When the link expires.', examples: ['2026-11-15T09:36:47.518Z'] }),
        format: z.literal('wav').meta({ description: 'The format.', examples: ['wav'] }),
        channels: z
          .literal(2)
          .meta({ description: 'Two: the caller is on the left, the agent on the right.', examples: [2], minimum: 2 }),
        durationMs: z
          .int()
          .min(0)
          .meta({ description: 'How long it is, in milliseconds.', examples: [102_408] }),
        sizeBytes: z
          .int()
          .min(0)
          .meta({ description: 'How large it is, in bytes.', examples: [6_554_156] }),
        sha256: z
          .string()
          .max(64)
          .meta({ description: 'The SHA-256 of the file, in hex.', examples: ['9f86d081…'] }),
      })
      .meta({ id: 'RecordingLink', description: 'A link to the recording of a call.' }),
  },
});

export const createToken = defineOperation({
  ...one,
  id: 'calls.tokens.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/calls/{id}/tokens',
  scope: 'calls:write',
  risk: 'sensitive',
  summary: 'Create an access token',
  description:
    'Creates an access token, with which a page in a browser can take part in the call without an API key. It replaces all earlier tokens that have not joined the call. Possible while the call is registered or ongoing; otherwise 409.',
  body: createTokenBody,
  isBodyOptional: true,
  bodyExample: {},
  success: { status: 201, description: 'The access token.', body: callAccess, isSecret: true },
});

export const getConcurrency = defineOperation({
  id: 'calls.concurrency.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/call-concurrency',
  scope: 'calls:read',
  risk: 'standard',
  summary: 'Get the number of open calls',
  description: 'Returns how many calls are open in the workspace, and how many may be.',
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
          .meta({ description: 'How many voice calls may be open.', examples: [20] }),
        active: z
          .int()
          .min(0)
          .meta({ description: 'How many voice calls are open.', examples: [3] }),
        reservedInbound: z.literal(0).meta({ description: 'Not yet used.', examples: [0], minimum: 0 }),
        queued: z
          .int()
          .min(0)
          .meta({ description: 'How many calls are queued, chats included.', examples: [0] }),
        chatLimit: z
          .int()
          .min(1)
          .meta({ description: 'How many chats may be open.', examples: [200] }),
        chatActive: z
          .int()
          .min(0)
          .meta({ description: 'How many chats are open.', examples: [12] }),
      })
      .meta({ id: 'CallConcurrency', description: 'The open calls of the workspace and their limits.' }),
  },
});

export const callsContract = defineContract({
  tag: {
    name: 'Calls',
    description: 'Conversations with agents. Chats are available; spoken calls in the browser come next.',
  },
  idPrefixes: ['call', 'cev', 'tcl'],
  scopes: callScopes,
  operations: [
    createCall,
    listCalls,
    searchCalls,
    getCall,
    updateCall,
    deleteCall,
    redactCall,
    endCall,
    controlCall,
    createMessage,
    listCallEvents,
    getTranscript,
    getRecording,
    createToken,
    getConcurrency,
  ],
});
