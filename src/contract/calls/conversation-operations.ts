import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess, waitParameter } from '../pagination.ts';
import { callAccess, callStatuses } from './call.ts';
import { callEvent } from './call-events.ts';
import { chatTurnsExample } from './examples.ts';
import { callId, oneCall } from './one-call.ts';
import { createMessageBody, createTokenBody } from './requests.ts';
import { turn } from './turn.ts';

export const createMessage = defineOperation({
  ...oneCall,
  id: 'calls.messages.create',
  acceptsAccessToken: true,
  kind: 'action',
  method: 'POST',
  path: '/api/v1/calls/{id}/messages',
  scope: 'calls:write',
  risk: 'standard',
  summary: 'Send a message',
  description:
    'Sends a message from the caller in a chat and returns the reply. The first message starts the chat. With `Accept: text/event-stream` the reply is streamed as server-sent events: `text {turn, delta}`, `tool {name}`, and finally `done` with the JSON body, or `error` with the error body. If a reply fails (502), retry with the same `Idempotency-Key`: the message is not added twice, and tools that have already returned are not called again.',
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
    media: { type: 'text/event-stream', description: 'The reply as server-sent events, while it is generated.' },
  },
});

export const listCallEvents = defineOperation({
  ...oneCall,
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
    'Returns the events of a call, oldest first. While the call is open, `nextCursor` is never null, so a client can follow the call to its end page by page. With `waitSeconds`, the request waits for the next event.',
  query: z.object({
    ...pageParameters,
    ...waitParameter,
  }),
  success: pageSuccess('CallEventPage', callEvent, 'A page of events.', 'oldest first'),
});

export const transcript = z
  .strictObject({
    callId,
    status: z.enum(['none', 'live', 'available']).meta({
      description: '`none` if nobody has spoken, `live` while the call is ongoing.',
      examples: ['available'],
    }),
    language: z
      .string()
      .max(64)
      .meta({ description: 'The language of the agent.', examples: ['ja'] }),
    turns: z.array(turn).meta({ description: 'The turns, in order.' }),
  })
  .meta({ id: 'Transcript', description: 'What was said in a call.' });

export const getTranscript = defineOperation({
  ...oneCall,
  id: 'calls.transcript.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/calls/{id}/transcript',
  scope: 'calls:read',
  risk: 'sensitive',
  summary: 'Get the transcript of a call',
  description:
    'Returns the transcript of a call. While the call is open, returns the turns stored so far. If there is no transcript, the response is 404 with `details.reason` `not_stored` or `deleted`.',
  success: { status: 200, description: 'The transcript.', body: transcript },
});

export const getCallSkill = defineOperation({
  ...oneCall,
  id: 'calls.skill.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/calls/{id}/skill',
  scope: 'calls:read',
  risk: 'standard',
  summary: 'Get the current skill of a call',
  description:
    'Returns the current skill of the conversation flow, for example to display it during the call. In a voice call, it is updated within a second.',
  success: {
    status: 200,
    description: 'The current skill.',
    body: z
      .strictObject({
        callId,
        skillId: z
          .string()
          .max(64)
          .nullable()
          .meta({
            description:
              'The id of the skill. Null before the flow starts, after the call, without a flow, and in a voice call that does not store everything.',
            examples: ['ask_day'],
          }),
      })
      .meta({ id: 'CallSkill', description: 'The current skill of the conversation flow of a call.' }),
  },
});

export const getRecording = defineOperation({
  ...oneCall,
  id: 'calls.recording.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/calls/{id}/recording',
  scope: 'calls:read',
  risk: 'sensitive',
  summary: 'Get the recording of a call',
  description:
    'Returns a link to the recording, valid for 5 minutes. If there is no recording, the response is 404 with `details.reason` `none`, `not_stored`, `deleted` or `failed`. While the recording is being made, the response is 409.',
  success: {
    status: 200,
    description: 'A link to the recording.',
    body: z
      .strictObject({
        callId,
        url: z
          .string()
          .max(4096)
          .meta({
            description:
              'The URL of the file. It starts with `PUBLIC_URL`. If the service has none, it is a path: put the scheme and host of your request before it, as the SDK does.',
            examples: ['https://voice.example.com/media/v1/…'],
          }),
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
          .meta({ description: 'The duration, in milliseconds.', examples: [102_408] }),
        sizeBytes: z
          .int()
          .min(0)
          .meta({ description: 'The size, in bytes.', examples: [6_554_156] }),
        sha256: z
          .string()
          .max(64)
          .meta({ description: 'The SHA-256 of the file, in hex.', examples: ['9f86d081…'] }),
      })
      .meta({ id: 'RecordingLink', description: 'A link to the recording of a call.' }),
  },
});

export const createToken = defineOperation({
  ...oneCall,
  id: 'calls.tokens.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/calls/{id}/tokens',
  scope: 'calls:write',
  risk: 'sensitive',
  summary: 'Create an access token',
  description:
    'Creates an access token that lets a browser page take part in the call without an API key. It replaces all earlier tokens that have not been used to join the call. Fails with 409 unless the call is registered or ongoing.',
  body: createTokenBody,
  isBodyOptional: true,
  bodyExample: {},
  success: { status: 201, description: 'The access token.', body: callAccess, isSecret: true },
});
