import { z } from 'zod';
import { dataStorageSettings } from '../agent.ts';
import { callEndReasons } from '../end-reasons.ts';
import { callLatency } from '../latency.ts';
import { text } from '../text.ts';

export const callTypes = ['web', 'phone', 'chat'] as const;
export const directions = ['inbound', 'outbound'] as const;
export const callStatuses = ['queued', 'registered', 'ringing', 'ongoing', 'ended', 'not_connected', 'error'] as const;
export const openStatuses = ['queued', 'registered', 'ringing', 'ongoing'] as const;
export const terminalStatuses = ['ended', 'not_connected', 'error'] as const;
export const engineNames = ['flow', 'prompt', 'custom_llm', 'rehearsal', 'test'] as const;
export const endedByValues = ['caller', 'agent', 'api', 'system'] as const;
export const analysisStatuses = ['none', 'pending', 'completed', 'failed', 'skipped'] as const;
export const sentiments = ['positive', 'neutral', 'negative', 'mixed'] as const;
export const notAppliedReasons = [
  'not_supported',
  'clamped',
  'provider_not_configured',
  'data_storage_setting',
  'not_understood',
] as const;

const time = z.iso.datetime();
const count = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [example] });
const measured = (description: string, example: number | null) =>
  z
    .int()
    .min(0)
    .nullable()
    .meta({ description, examples: [example] });
const notYet = (description = 'Not yet used.') => z.null().meta({ description, examples: [null] });
const providerName = z.string().max(255).nullable();

const access = z
  .strictObject({
    token: z
      .string()
      .max(4096)
      .meta({ description: 'The access token.', examples: ['vat_…'] }),
    expiresAt: time.meta({
      description: 'Until when the token can be used to join the call.',
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
  .meta({ id: 'CallAccess', description: 'What a browser needs to take part in a call, instead of an API key.' });

const recording = z
  .strictObject({
    status: z
      .enum(['none', 'recording', 'processing', 'available', 'failed', 'not_stored', 'deleted'])
      .meta({ description: 'Whether there is a recording.', examples: ['none'] }),
    durationMs: measured('How long it is, in milliseconds. Null until it is available.', null),
    sizeBytes: measured('How large it is, in bytes. Null until it is available.', null),
  })
  .meta({ id: 'CallRecording', description: 'The recording of the call.' });

const usage = z
  .strictObject({
    llm: z
      .strictObject({
        model: providerName.meta({
          description: 'The language model, as the agent names it.',
          examples: ['gpt-5.4-mini'],
        }),
        promptTokens: count('Tokens sent to the model.', 2210),
        cachedTokens: count('How many of them the provider had cached.', 1024),
        completionTokens: count('Tokens that the model wrote.', 188),
        totalTokens: count('The sum of prompt and completion tokens.', 2398),
      })
      .meta({ description: 'The language model.' }),
    stt: z
      .strictObject({
        provider: providerName.meta({ description: 'The provider.', examples: [null] }),
        audioMs: count('Audio recognized, in milliseconds.', 0),
      })
      .meta({ description: 'Speech recognition.' }),
    tts: z
      .strictObject({
        provider: providerName.meta({ description: 'The provider.', examples: [null] }),
        characters: count('Characters spoken, including cached speech.', 0),
      })
      .meta({ description: 'The voice.' }),
    carrier: z
      .strictObject({
        provider: notYet(),
        billedMs: z.literal(0).meta({ description: 'Not yet used.', examples: [0], minimum: 0 }),
      })
      .meta({ description: 'Not yet used.' }),
    knowledge: z
      .strictObject({ searches: z.literal(0).meta({ description: 'Not yet used.', examples: [0], minimum: 0 }) })
      .meta({ description: 'Not yet used.' }),
    breakdown: z
      .array(
        z.strictObject({
          capability: z.enum(['llm', 'stt', 'tts']).meta({ description: 'What it was used for.', examples: ['llm'] }),
          provider: z
            .string()
            .max(255)
            .meta({ description: 'The provider.', examples: ['openai'] }),
          model: providerName.meta({ description: 'The model, as it was sent.', examples: ['gpt-5.4-mini'] }),
          requests: count('How many requests.', 4),
          promptTokens: count('Tokens sent.', 2210),
          cachedTokens: count('How many of them were cached.', 1024),
          completionTokens: count('Tokens received.', 188),
          audioMs: count('Audio recognized, in milliseconds.', 0),
          characters: count('Characters spoken.', 0),
        }),
      )
      .meta({ description: 'One entry for each provider and model that was used.' }),
  })
  .meta({ id: 'CallUsage', description: 'What the call used.' });

const conversation = z
  .strictObject({
    agentSpeechMs: count('How long the agent spoke.', 21_400),
    callerSpeechMs: count('How long the caller spoke.', 18_200),
    overlapMs: count('How long both spoke.', 640),
    firstWordMs: measured('From the start of the call to the agent’s first sound. Null: it never spoke.', 420),
    deadAirMs: count('How long nobody spoke while a reply was pending.', 5200),
    longestSilenceMs: count('The longest time in which nobody spoke.', 4100),
    callerInterruptions: count('How often the caller interrupted the agent.', 1),
    agentInterruptions: count('How often the agent began while the caller spoke.', 0),
    falseInterruptions: count('How often the agent paused and then went on.', 1),
    reminders: count('How many reminders were said.', 0),
    waitingSentences: count('How often the caller was asked to wait.', 0),
    backchannels: count('How many acknowledgments the agent said.', 2),
  })
  .meta({ id: 'CallConversation', description: 'How the conversation went, in milliseconds and counts.' });

const evidence = z
  .strictObject({
    turns: z.array(z.int().min(0)).meta({ description: 'The turns that it is based on.', examples: [[4]] }),
    quote: text({ max: 500 }).meta({ description: 'What was said.', examples: ['はい、それでお願いします'] }),
    rationale: text({ max: 500 })
      .nullable()
      .meta({ description: 'Why the model came to this value.', examples: [null] }),
  })
  .nullable()
  .meta({ id: 'AnalysisEvidence', description: 'What a value of an analysis is based on.' });

export const analysis = z
  .strictObject({
    status: z.enum(analysisStatuses).meta({
      description: 'Whether the call has been analyzed. `none` while it is open.',
      examples: ['skipped'],
    }),
    reason: z
      .enum([
        'not_connected',
        'data_storage_setting',
        'disabled',
        'no_caller_speech',
        'provider_not_configured',
        'model_error',
        'invalid_output',
        'timeout',
        'transcript_too_long',
      ])
      .nullable()
      .meta({ description: 'Why it was skipped or failed.', examples: ['provider_not_configured'] }),
    revision: count('Increases with each completed analysis. 0: there is none.', 0),
    model: providerName.meta({ description: 'The model.', examples: [null] }),
    summary: text({ max: 2000 })
      .nullable()
      .meta({ description: 'A summary of the call.', examples: [null] }),
    successful: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the call was a success. Null: unknown.', examples: [null] }),
    sentiment: z
      .enum(sentiments)
      .nullable()
      .meta({ description: 'The caller’s sentiment. Null: unknown.', examples: [null] }),
    data: z.record(z.string(), z.union([text({ max: 2000 }), z.number(), z.boolean(), z.null()])).meta({
      description:
        'The values of `postCallAnalysisData`, by name; null if the call does not say. Empty until it is completed.',
      examples: [{}],
    }),
    evidence: z
      .strictObject({
        successful: evidence,
        sentiment: evidence,
        data: z
          .record(z.string(), evidence)
          .meta({ description: 'For each value of `data`, by its name.', examples: [{}] }),
      })
      .meta({ description: 'What each value is based on.' }),
    issues: z
      .array(
        z.strictObject({
          field: text({ max: 260 }).meta({ description: 'The field.', examples: ['data.guests'] }),
          code: z
            .enum(['wrong_type', 'not_an_option', 'missing', 'unsupported_by_transcript'])
            .meta({ description: 'What is wrong.', examples: ['wrong_type'] }),
          message: z
            .string()
            .max(1000)
            .meta({ description: 'The problem in words.', examples: ['must be a number'] }),
        }),
      )
      .meta({ description: 'Values that the model returned and that were not accepted.' }),
    promptTokens: measured('Tokens sent to the model.', null),
    completionTokens: measured('Tokens that the model wrote.', null),
    durationMs: measured('How long it took, in milliseconds.', null),
    completedAt: time.nullable().meta({ description: 'When it was settled.', examples: [null] }),
  })
  .meta({ id: 'CallAnalysis', description: 'What was extracted from the call after it had ended.' });

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
      description: 'How caller and agent talk: `web` in a browser, `chat` in writing, `phone` by phone (not yet).',
      examples: ['chat'],
    }),
    direction: z
      .enum(directions)
      .meta({ description: 'Who called. Web calls and chats are inbound.', examples: ['inbound'] }),
    status: z.enum(callStatuses).meta({
      description:
        '`queued` until it is due and a slot is free, `registered` until the caller joins, then `ongoing`. Final: `ended`, `not_connected` if nobody joined, `error`.',
      examples: ['ended'],
    }),
    agentId: z
      .string()
      .max(64)
      .meta({
        description: 'The id of the agent. It stays when the agent is deleted.',
        examples: ['agt_01m7f8nkmj0000v37e3s3e28jt97kb'],
      }),
    agentVersion: z
      .int()
      .min(1)
      .meta({
        description: 'The version of the agent when the call was created. Later changes have no effect on the call.',
        examples: [3],
      }),
    isDraft: z.boolean().meta({
      description: 'Whether the version was a draft when the call was created, as in test calls.',
      examples: [false],
    }),
    engine: z.enum(engineNames).meta({
      description: 'What replies. `rehearsal` repeats what it hears, because no language model is connected.',
      examples: ['prompt'],
    }),
    phoneNumberId: notYet(),
    from: notYet(),
    to: notYet(),
    batchId: notYet(),
    workflowRunId: notYet(),
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
      description: 'When the caller joined. Null before.',
      examples: ['2026-11-15T09:30:05.110Z'],
    }),
    endedAt: time
      .nullable()
      .meta({ description: 'When the call ended. Null before.', examples: ['2026-11-15T09:31:47.518Z'] }),
    durationMs: measured('From joining to the end, in milliseconds. Null if nobody joined.', 102_408),
    endReason: z
      .enum(callEndReasons)
      .nullable()
      .meta({ description: 'Why the call ended. Null before.', examples: ['caller_hangup'] }),
    endedBy: z
      .enum(endedByValues)
      .nullable()
      .meta({ description: 'Who ended the call. Null before.', examples: ['caller'] }),
    endDetail: z
      .string()
      .max(500)
      .nullable()
      .meta({
        description: 'What failed, in words, or why the agent hung up, if it said so.',
        examples: [null],
      }),
    transcriptStatus: z.enum(['none', 'live', 'available', 'not_stored', 'deleted']).meta({
      description: 'Whether there is a transcript. `live` while the call is ongoing.',
      examples: ['available'],
    }),
    recording,
    latency: callLatency.nullable().meta({ description: 'How long replies took. Null until one was measured.' }),
    usage,
    cost: notYet(),
    conversation: conversation.nullable().meta({
      description: 'How a spoken conversation went. Null for chats and while the call is open.',
      examples: [null],
    }),
    analysis,
    knowledgeBases: z.array(z.never()).meta({ description: 'Not yet used.', examples: [[]] }),
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
          })
          .meta({ id: 'NotAppliedSetting', description: 'A setting of the agent that the call could not honor.' }),
      )
      .meta({ description: 'Settings of the agent that this call could not honor.', examples: [[]] }),
    providerCallId: notYet(),
    access: access.nullable().meta({
      description: 'Only in the response that creates the call; otherwise null.',
      examples: [null],
    }),
    updatedAt: time.meta({ description: 'When the call last changed.', examples: ['2026-11-15T09:31:47.518Z'] }),
  })
  .meta({ id: 'Call', description: 'A conversation between a caller and an agent.' });

export type Call = z.infer<typeof call>;
export type CallStatus = Call['status'];
export type CallAccess = z.infer<typeof access>;
export { access as callAccess };
