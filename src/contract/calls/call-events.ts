import { z } from 'zod';
import { transferModes } from '../agents/settings/phone.ts';
import { callStatuses } from './call.ts';
import { callEndReasons } from './end-reasons.ts';
import { callId } from './one-call.ts';
import { turn } from './turn.ts';

/** What happened in a call. Each is also a schema of the event's `data`. */
const dataOf = {
  state_changed: z
    .strictObject({
      from: z
        .enum(callStatuses)
        .nullable()
        .meta({ description: 'The previous status. Null when the call is created.', examples: [null] }),
      to: z.enum(callStatuses).meta({ description: 'The new status.', examples: ['registered'] }),
      endReason: z
        .enum(callEndReasons)
        .nullable()
        .meta({ description: 'Why the call ended, if it did.', examples: [null] }),
    })
    .meta({ id: 'StateChanged' }),
  turn_completed: z.strictObject({ turn }).meta({ id: 'TurnCompleted' }),
  speech_started: speech('SpeechStarted', 'first'),
  speech_ended: speech('SpeechEnded', 'last'),
  agent_interrupted: z
    .strictObject({ role: z.literal('caller').meta({ description: 'Who interrupted.', examples: ['caller'] }) })
    .meta({ id: 'AgentInterrupted' }),
  tool_called: z.strictObject({ toolCallId: toolCallId(), name: toolName() }).meta({ id: 'ToolCalled' }),
  tool_returned: z
    .strictObject({
      toolCallId: toolCallId(),
      name: toolName(),
      isError: z.boolean().meta({ description: 'Whether it failed.', examples: [false] }),
      durationMs: milliseconds('How long it took', 300),
    })
    .meta({ id: 'ToolReturned' }),
  dtmf_received: z
    .strictObject({
      digits: z
        .string()
        .max(50)
        .nullable()
        .meta({
          description:
            'The keys that the caller pressed, without a final `#`. With `everything_except_pii`, four or more are `[DIGITS]`; with `basic_attributes_only`, null.',
          examples: ['1'],
        }),
    })
    .meta({ id: 'DtmfReceived' }),
  dtmf_sent: z
    .strictObject({
      digits: z
        .string()
        .max(50)
        .nullable()
        .meta({
          description:
            'The keys that were pressed for the agent; `w` is a pause. Stored like those of `dtmf_received`.',
          examples: ['1'],
        }),
    })
    .meta({ id: 'DtmfSent' }),
  answered_by: z
    .strictObject({
      by: z
        .enum(['human', 'machine', 'fax', 'unknown'])
        .meta({ description: 'Who or what answered.', examples: ['machine'] }),
      source: z
        .enum(['audio', 'carrier'])
        .meta({ description: 'Who says so: what was heard, or the carrier.', examples: ['audio'] }),
    })
    .meta({ id: 'AnsweredBy' }),
  transfer_updated: z
    .strictObject({
      name: z
        .string()
        .max(64)
        .nullable()
        .meta({
          description: 'The entry of `agentSettings.phone.transfers`. Null if the API named a number.',
          examples: ['front_desk'],
        }),
      mode: z.enum(transferModes).meta({ description: 'How the call is transferred.', examples: ['cold'] }),
      status: z
        .enum(['started', 'completed', 'failed'])
        .meta({ description: 'What has become of it.', examples: ['failed'] }),
      reason: z
        .string()
        .max(255)
        .nullable()
        .meta({ description: 'Why it failed, such as `busy`, `no_answer` or `declined`.', examples: ['no_answer'] }),
    })
    .meta({ id: 'TransferUpdated' }),
  control_applied: z
    .strictObject({
      action: z
        .string()
        .max(64)
        .meta({ description: 'The action.', examples: ['say'] }),
    })
    .meta({ id: 'ControlApplied' }),
  latency_exceeded: z
    .strictObject({
      turnIndex: turnIndex(),
      e2eMs: milliseconds('How long it took', 1830),
      budgetMs: milliseconds('The latency budget', 1500),
    })
    .meta({ id: 'LatencyExceeded' }),
  provider_switched: z
    .strictObject({
      capability: z.enum(['llm', 'stt', 'tts']).meta({ description: 'What it is used for.', examples: ['llm'] }),
      from: z
        .string()
        .max(255)
        .meta({ description: 'The provider or model that failed.', examples: ['gpt-5.4-mini'] }),
      to: z
        .string()
        .max(255)
        .meta({ description: 'The one used from then on.', examples: ['gpt-5.4-nano'] }),
    })
    .meta({ id: 'ProviderSwitched' }),
  knowledge_searched: z
    .strictObject({
      turnIndex: turnIndex(),
      mode: z
        .enum(['lexical', 'hybrid'])
        .meta({ description: 'How it was searched: by words alone, or also by meaning.', examples: ['lexical'] }),
      results: z
        .int()
        .min(0)
        .meta({ description: 'How many chunks the reply was based on.', examples: [3] }),
      tookMs: milliseconds('How long the search took', 4),
      timedOut: z
        .boolean()
        .meta({ description: 'Whether the result, or the better one by meaning, came too late.', examples: [false] }),
    })
    .meta({ id: 'KnowledgeSearched' }),
  warning: z
    .strictObject({
      code: z
        .string()
        .max(64)
        .meta({
          description: 'A machine-readable code, such as `recording_failed` if the call could not be recorded.',
          examples: ['redaction_is_partial'],
        }),
      message: z
        .string()
        .max(1000)
        .meta({
          description: 'The warning in human-readable form.',
          examples: ['Names and postal addresses are not detected.'],
        }),
    })
    .meta({ id: 'CallWarning' }),
} as const;

export type CallEventType = keyof typeof dataOf;

export const callEventNames = Object.keys(dataOf) as CallEventType[];

export const callEvent = z
  .strictObject({
    id: z
      .string()
      .max(64)
      .meta({ description: 'The id of the event.', examples: ['cev_01m7f8nret0000p1xpa7z3dj8fssz5'] }),
    callId,
    sequence: z
      .int()
      .min(1)
      .meta({ description: 'The number of the event within its call: from 1, without gaps.', examples: [1] }),
    type: z.enum(callEventNames).meta({ description: 'What happened.', examples: ['state_changed'] }),
    at: z.iso.datetime().meta({ description: 'When it happened.', examples: ['2026-11-15T09:30:03.702Z'] }),
    offsetMs: z
      .int()
      .min(0)
      .nullable()
      .meta({
        description: 'The time since the start of the call, in milliseconds. Null before the start.',
        examples: [null],
      }),
    data: z
      .union([
        dataOf.state_changed,
        dataOf.turn_completed,
        dataOf.speech_started,
        dataOf.speech_ended,
        dataOf.agent_interrupted,
        dataOf.tool_called,
        dataOf.tool_returned,
        dataOf.dtmf_received,
        dataOf.dtmf_sent,
        dataOf.answered_by,
        dataOf.transfer_updated,
        dataOf.control_applied,
        dataOf.latency_exceeded,
        dataOf.provider_switched,
        dataOf.knowledge_searched,
        dataOf.warning,
      ])
      .meta({ description: 'Depends on the type.', examples: [{ from: null, to: 'registered', endReason: null }] }),
  })
  .meta({ id: 'CallEvent', description: 'Something that happened in a call.' });

export type CallEvent = z.infer<typeof callEvent>;
export type CallEventData<T extends CallEventType> = z.infer<(typeof dataOf)[T]>;

function speech(id: string, which: 'first' | 'last') {
  return z
    .strictObject({
      role: z.enum(['agent', 'caller']).meta({ description: 'Who spoke.', examples: ['caller'] }),
      atMs: milliseconds(`The ${which} sound, from the start of the call`, 6120),
    })
    .meta({ id });
}

function milliseconds(description: string, example: number) {
  return z
    .int()
    .min(0)
    .meta({ description: `${description}, in milliseconds.`, examples: [example] });
}

function turnIndex() {
  return z
    .int()
    .min(0)
    .meta({ description: 'The index of the turn.', examples: [2] });
}

function toolCallId() {
  return z
    .string()
    .max(64)
    .meta({ description: 'The id of the tool call.', examples: ['tcl_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] });
}

function toolName() {
  return z
    .string()
    .max(64)
    .meta({ description: 'The name of the tool.', examples: ['book'] });
}
