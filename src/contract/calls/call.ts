import { z } from 'zod';
import { dataStorageSettings } from '../agents/agent.ts';
import { analysis } from './analysis.ts';
import { callEndReasons } from './end-reasons.ts';
import { callLatency } from './latency.ts';
import { count, measured, time } from './measures.ts';
import { cost, usage } from './usage.ts';

export const callTypes = ['web', 'phone', 'chat'] as const;
export const directions = ['inbound', 'outbound'] as const;
export const callStatuses = ['queued', 'registered', 'ringing', 'ongoing', 'ended', 'not_connected', 'error'] as const;
export const openStatuses = ['queued', 'registered', 'ringing', 'ongoing'] as const;
export const terminalStatuses = ['ended', 'not_connected', 'error'] as const;
export const engineNames = ['flow', 'prompt', 'custom_llm', 'rehearsal', 'test'] as const;
export const endedByValues = ['caller', 'agent', 'api', 'system'] as const;
export const notAppliedReasons = [
  'not_supported',
  'clamped',
  'provider_not_configured',
  'data_storage_setting',
  'not_understood',
] as const;

const partyNumber = (description: string) =>
  z
    .string()
    .max(64)
    .nullable()
    .meta({
      description: `${description} With \`everything_except_pii\`, only the country code and the last two digits; with \`basic_attributes_only\`, null.`,
      examples: [null],
    });

const access = z
  .strictObject({
    token: z
      .string()
      .max(4096)
      .meta({ description: 'The access token.', examples: ['vat_…'] }),
    expiresAt: time.meta({
      description: 'The token can be used to join the call until this time.',
      examples: ['2026-11-15T09:32:03.702Z'],
    }),
    liveUrl: z
      .string()
      .max(4096)
      .meta({
        description: 'The WebSocket of the call: a path, or a URL if the service knows its public address.',
        examples: ['/live/v1/calls/call_01m7f8np1p0000f5kznwj47tan9zt2'],
      }),
  })
  .meta({ id: 'CallAccess', description: 'What a browser needs to take part in a call without an API key.' });

const recording = z
  .strictObject({
    status: z
      .enum(['none', 'recording', 'processing', 'available', 'failed', 'not_stored', 'deleted'])
      .meta({ description: 'Whether there is a recording.', examples: ['none'] }),
    durationMs: measured('The duration, in milliseconds. Null until it is available.', null),
    sizeBytes: measured('The size, in bytes. Null until it is available.', null),
  })
  .meta({ id: 'CallRecording', description: 'The recording of the call.' });

const conversation = z
  .strictObject({
    agentSpeechMs: count('How long the agent spoke.', 21_400),
    callerSpeechMs: count('How long the caller spoke.', 18_200),
    overlapMs: count('How long both spoke at once.', 640),
    firstWordMs: measured('From the start of the call to the agent’s first sound. Null: it never spoke.', 420),
    deadAirMs: count('How long nobody spoke while a reply was pending.', 5200),
    longestSilenceMs: count('The longest time during which nobody spoke.', 4100),
    callerInterruptions: count('How many times the caller interrupted the agent.', 1),
    agentInterruptions: count('How many times the agent started while the caller was speaking.', 0),
    falseInterruptions: count('How many times the agent paused and then continued.', 1),
    reminders: count('How many reminders the agent gave.', 0),
    waitingSentences: count('How many times the caller was asked to wait.', 0),
    backchannels: count('How many acknowledgments the agent said.', 2),
  })
  .meta({ id: 'CallConversation', description: 'How the conversation went, in milliseconds and counts.' });

const scalarRecord = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** A conversation between a caller and an agent. */
export const call = z
  .strictObject({
    id: z
      .string()
      .max(64)
      .meta({ description: 'The id of the call.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] }),
    workspaceId: z
      .string()
      .max(64)
      .meta({ description: 'The id of its workspace.', examples: ['ws_01m7f8nje00000m9s346q3d25vt4f5'] }),
    type: z.enum(callTypes).meta({
      description: 'How caller and agent talk: `web` in a browser, `chat` in writing, `phone` by phone.',
      examples: ['chat'],
    }),
    direction: z.enum(directions).meta({
      description: 'Who called: `outbound` if the service dialed. Web calls and chats are inbound.',
      examples: ['inbound'],
    }),
    status: z.enum(callStatuses).meta({
      description:
        '`queued` until it is due and a slot is free, `registered` until the caller joins or the phone rings, `ringing` until a phone call is answered, then `ongoing`. Final: `ended`, `not_connected` if nobody joined or answered, `error`.',
      examples: ['ended'],
    }),
    agentId: z
      .string()
      .max(64)
      .nullable()
      .meta({
        description:
          'The id of the agent. It is kept when the agent is deleted. Null: a phone call that was refused before its agent was known.',
        examples: ['agt_01m7f8nkmj0000v37e3s3e28jt97kb'],
      }),
    agentVersion: z
      .int()
      .min(1)
      .nullable()
      .meta({
        description:
          'The version of the agent when the call was created. Later changes have no effect on the call. Null if `agentId` is.',
        examples: [3],
      }),
    isDraft: z.boolean().meta({
      description: 'Whether the version was a draft when the call was created, as in test calls.',
      examples: [false],
    }),
    engine: z
      .enum(engineNames)
      .nullable()
      .meta({
        description:
          'What replies. `rehearsal` repeats what it hears, because no language model is connected. Null if `agentId` is.',
        examples: ['prompt'],
      }),
    phoneNumberId: z
      .string()
      .max(64)
      .nullable()
      .meta({
        description: 'The phone number that was called, or that called. Null unless it is a phone call.',
        examples: [null],
      }),
    from: partyNumber('Who called, in E.164 format. Null if it was withheld.'),
    to: partyNumber('Who was called, in E.164 format.'),
    batchId: z
      .string()
      .max(64)
      .nullable()
      .meta({ description: 'The batch that placed the call. Not yet used.', examples: [null] }),
    workflowRunId: z
      .string()
      .max(64)
      .nullable()
      .meta({ description: 'The run of a workflow that created the call.', examples: [null] }),
    externalId: z
      .string()
      .max(512)
      .nullable()
      .meta({ description: 'Your own reference.', examples: ['visit-2981'] }),
    variables: scalarRecord.meta({
      description: 'The values given for `{{name}}` in prompts and texts.',
      examples: [{ shop: '銀座店' }],
    }),
    collectedVariables: scalarRecord.meta({
      description: 'The values collected during the call.',
      examples: [{ date: '2026-11-20' }],
    }),
    metadata: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Your own data.', examples: [{ page: '/booking' }] }),
    dataStorageSetting: z.enum(dataStorageSettings).meta({
      description: 'How much of the call is stored.',
      examples: ['everything'],
    }),
    createdAt: time.meta({ description: 'When the call was created.', examples: ['2026-11-15T09:30:03.702Z'] }),
    scheduledAt: time.nullable().meta({ description: 'The `startAt` of the request.', examples: [null] }),
    startedAt: time.nullable().meta({
      description: 'When the caller joined, or the phone was answered. Null until then.',
      examples: ['2026-11-15T09:30:05.110Z'],
    }),
    endedAt: time
      .nullable()
      .meta({ description: 'When the call ended. Null until then.', examples: ['2026-11-15T09:31:47.518Z'] }),
    durationMs: measured('From `startedAt` to the end, in milliseconds. Null if nobody joined or answered.', 102_408),
    endReason: z
      .enum(callEndReasons)
      .nullable()
      .meta({ description: 'Why the call ended. Null until then.', examples: ['caller_hangup'] }),
    endedBy: z
      .enum(endedByValues)
      .nullable()
      .meta({ description: 'Who ended the call. Null until then.', examples: ['caller'] }),
    endDetail: z
      .string()
      .max(500)
      .nullable()
      .meta({
        description: 'A description of what failed, or the reason the agent gave for hanging up, if any.',
        examples: [null],
      }),
    transcriptStatus: z.enum(['none', 'live', 'available', 'not_stored', 'deleted']).meta({
      description: 'Whether there is a transcript. `live` while the call is ongoing.',
      examples: ['available'],
    }),
    recording,
    latency: callLatency.nullable().meta({ description: 'How long replies took. Null until one has been measured.' }),
    usage,
    cost: cost.nullable().meta({
      description: 'The estimated cost. Null while no prices are stated, and while the call is open.',
      examples: [null],
    }),
    conversation: conversation.nullable().meta({
      description: 'How a spoken conversation went. Null for chats and while the call is open.',
      examples: [null],
    }),
    analysis,
    knowledgeBases: z
      .array(
        z
          .strictObject({
            id: z
              .string()
              .max(64)
              .meta({ description: 'The id of the knowledge base.', examples: ['kb_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] }),
            revision: count('Its revision when the call was created.', 12),
          })
          .meta({ id: 'CallKnowledgeBase', description: 'A knowledge base of the agent.' }),
      )
      .meta({
        description: 'The knowledge bases of the agent. A call always searches their newest revisions.',
        examples: [[]],
      }),
    notApplied: z
      .array(
        z
          .strictObject({
            field: z
              .string()
              .max(500)
              .meta({ description: 'The setting of the agent.', examples: ['responseEngine'] }),
            reason: z
              .enum(notAppliedReasons)
              .meta({ description: 'Why it was not applied.', examples: ['provider_not_configured'] }),
            used: z
              .string()
              .max(500)
              .exactOptional()
              .meta({
                description:
                  'What was used instead, such as the voice or the nearest value. Missing if it has no name, and in calls of older versions.',
                examples: ['slt'],
              }),
          })
          .meta({ id: 'NotAppliedSetting', description: 'A setting of the agent that the call could not honor.' }),
      )
      .meta({ description: 'Settings of the agent that this call could not honor.', examples: [[]] }),
    providerCallId: z
      .string()
      .max(255)
      .nullable()
      .meta({
        description: 'The id of the call at the carrier. Null until the carrier has confirmed it.',
        examples: [null],
      }),
    access: access.nullable().meta({
      description: 'Set only in the response that creates a chat or a web call; otherwise null.',
      examples: [null],
    }),
    updatedAt: time.meta({ description: 'When the call last changed.', examples: ['2026-11-15T09:31:47.518Z'] }),
  })
  .meta({ id: 'Call', description: 'A conversation between a caller and an agent.' });

export type Call = z.infer<typeof call>;
export type CallStatus = Call['status'];
export type CallAccess = z.infer<typeof access>;
export { access as callAccess };
