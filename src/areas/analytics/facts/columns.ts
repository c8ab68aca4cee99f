import { type ConversationField, fixedFields } from '../../../contract/analytics/fields.ts';
import { type UsageField, usageFields } from '../../../contract/analytics/metrics.ts';
import type { Call } from '../../../contract/calls/call.ts';
import { searchValuesOf } from '../../../core/call-values.ts';
import type { FilterColumn } from '../../../core/filter-sql.ts';
import type { Value } from '../../../storage/database.ts';

/** The columns of `call_facts` with the figures of a conversation. */
export const conversationColumns = {
  agentSpeechMs: 'agent_speech_ms',
  callerSpeechMs: 'caller_speech_ms',
  overlapMs: 'overlap_ms',
  firstWordMs: 'first_word_ms',
  deadAirMs: 'dead_air_ms',
  longestSilenceMs: 'longest_silence_ms',
  callerInterruptions: 'caller_interruptions',
  agentInterruptions: 'agent_interruptions',
  falseInterruptions: 'false_interruptions',
  reminders: 'reminders',
  waitingSentences: 'waiting_sentences',
  backchannels: 'backchannels',
} as const satisfies Record<ConversationField, string>;

export const usageColumns = {
  'llm.promptTokens': 'prompt_tokens',
  'llm.cachedTokens': 'cached_tokens',
  'llm.completionTokens': 'completion_tokens',
  'llm.totalTokens': 'total_tokens',
  'stt.audioMs': 'stt_audio_ms',
  'tts.characters': 'tts_characters',
  'knowledge.searches': 'knowledge_searches',
  'knowledge.empty': 'knowledge_empty',
  'carrier.billedMs': 'carrier_billed_ms',
} as const satisfies Record<UsageField, string>;

/** The columns that fields with fixed names are compared with. */
const fieldColumns: Readonly<Record<string, string>> = {
  agentId: 'agent_id',
  agentVersion: 'agent_version',
  type: 'type',
  direction: 'direction',
  engine: 'engine',
  status: 'status',
  endReason: 'end_reason',
  endedBy: 'ended_by',
  dataStorageSetting: 'data_storage_setting',
  model: 'model',
  sttProvider: 'stt_provider',
  ttsProvider: 'tts_provider',
  phoneNumberId: 'phone_number_id',
  batchId: 'batch_id',
  currency: 'currency',
  'analysis.status': 'analysis_status',
  'analysis.sentiment': 'analysis_sentiment',
  'analysis.successful': 'analysis_successful',
  externalId: 'external_id',
  from: 'from_number',
  to: 'to_number',
  createdAt: 'created_at',
  startedAt: 'started_at',
  endedAt: 'ended_at',
  durationMs: 'duration_ms',
  'latency.e2eMs.p50': 'e2e_p50',
  'latency.e2eMs.p90': 'e2e_p90',
  'latency.e2eMs.p95': 'e2e_p95',
  'latency.e2eMs.p99': 'e2e_p99',
  'usage.llm.totalTokens': 'total_tokens',
  'usage.knowledge.empty': 'knowledge_empty',
  cost: 'cost_micros',
  ...Object.fromEntries(Object.entries(conversationColumns).map(([name, column]) => [`conversation.${name}`, column])),
};

/** Undefined for free-form names, and for what follows from the time. */
export function columnOf(field: string): FilterColumn | undefined {
  const name = Object.hasOwn(fieldColumns, field) ? fieldColumns[field] : undefined;
  const known = fixedFields.get(field);
  return name === undefined || known === undefined ? undefined : { name, field: known };
}

type ReadCall = (call: Call) => Value | boolean | undefined;

const instant = (time: string | null): number | null => (time === null ? null : Date.parse(time));

const ofCall: Readonly<Record<string, ReadCall>> = {
  is_draft: (call) => call.isDraft,
  type: (call) => call.type,
  direction: (call) => call.direction,
  status: (call) => call.status,
  started_at: (call) => instant(call.startedAt),
  ended_at: (call) => instant(call.endedAt),
  duration_ms: (call) => call.durationMs,
  agent_id: (call) => call.agentId,
  agent_version: (call) => call.agentVersion,
  engine: (call) => call.engine,
  end_reason: (call) => call.endReason,
  ended_by: (call) => call.endedBy,
  data_storage_setting: (call) => call.dataStorageSetting,
  analysis_status: (call) => call.analysis.status,
  analysis_sentiment: (call) => call.analysis.sentiment,
  analysis_successful: (call) => call.analysis.successful,
  ...Object.fromEntries(
    Object.entries(conversationColumns).map(([name, column]): [string, ReadCall] => [
      column,
      (call) => call.conversation?.[name as ConversationField],
    ]),
  ),
  ...Object.fromEntries(
    Object.keys(usageFields).map((name): [string, ReadCall] => {
      const [group, key] = name.split('.') as ['llm', 'promptTokens'];
      return [usageColumns[name as UsageField], (call) => call.usage[group][key]];
    }),
  ),
  currency: (call) => call.cost?.currency,
  cost_micros: (call) => call.cost?.totalMicros,
  model: (call) => call.usage.llm.model,
  stt_provider: (call) => call.usage.stt.provider,
  tts_provider: (call) => call.usage.tts.provider,
  e2e_p50: (call) => call.latency?.e2eMs?.p50,
  e2e_p90: (call) => call.latency?.e2eMs?.p90,
  e2e_p95: (call) => call.latency?.e2eMs?.p95,
  e2e_p99: (call) => call.latency?.e2eMs?.p99,
  phone_number_id: (call) => call.phoneNumberId,
  batch_id: (call) => call.batchId,
  external_id: (call) => call.externalId,
  from_number: (call) => call.from,
  to_number: (call) => call.to,
  search_values: searchValuesOf,
};

/** The columns that follow from the call. */
export const callColumnNames: readonly string[] = Object.keys(ofCall);

/** What these columns store, in the same order. */
export function callColumnValues(call: Call): Value[] {
  return Object.values(ofCall).map((read) => {
    const value = read(call) ?? null;
    return typeof value === 'boolean' ? Number(value) : value;
  });
}
