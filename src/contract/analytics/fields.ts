import { callColumns, callValuePrefixes, searchFields, transcriptField } from '../calls/fields.ts';
import type { FieldCatalog, ValueField } from '../filter.ts';

export type FieldUnit = 'milliseconds' | 'count' | 'tokens' | 'characters' | 'ratio' | 'micros' | null;

/** A field of calls that figures can be filtered by. */
export interface AnalyticsField extends ValueField {
  readonly definition: string;
  readonly example: string | number | boolean;
  readonly unit: FieldUnit;
  /** Figures can also be grouped by it. */
  readonly isDimension: boolean;
}

const filterFieldOf = (name: string): ValueField => {
  const field = callColumns[name];
  if (field === undefined) throw new Error(`calls have no field ${name}`);
  return field;
};

type Example = string | number | boolean;

function dimension(definition: string, example: Example, field: ValueField = { type: 'string' }): AnalyticsField {
  return { ...field, definition, example, unit: null, isDimension: true };
}

/** A field that calls.search has, too. */
function callDimension(name: string, definition: string, example: Example): [string, AnalyticsField] {
  return [name, dimension(definition, example, filterFieldOf(name))];
}

function callField(
  name: string,
  definition: string,
  example: Example,
  unit: FieldUnit = null,
): [string, AnalyticsField] {
  return [name, { ...filterFieldOf(name), definition, example, unit, isDimension: false }];
}

function numberField(definition: string, unit: FieldUnit, example: number): AnalyticsField {
  return { type: 'number', definition, example, unit, isDimension: false };
}

/** The figures of `Call.conversation`, in the order of the schema. */
export const conversationFields = {
  agentSpeechMs: { definition: 'How long the agent spoke.', unit: 'milliseconds', example: 21_400 },
  callerSpeechMs: { definition: 'How long the caller spoke.', unit: 'milliseconds', example: 18_200 },
  overlapMs: { definition: 'How long both spoke at once.', unit: 'milliseconds', example: 640 },
  firstWordMs: {
    definition: 'From the start of the call to the agent’s first sound.',
    unit: 'milliseconds',
    example: 420,
  },
  deadAirMs: {
    definition: 'How long nobody spoke while a reply was pending.',
    unit: 'milliseconds',
    example: 5200,
  },
  longestSilenceMs: {
    definition: 'The longest time during which nobody spoke.',
    unit: 'milliseconds',
    example: 4100,
  },
  callerInterruptions: {
    definition: 'How many times the caller interrupted the agent.',
    unit: 'count',
    example: 1,
  },
  agentInterruptions: {
    definition: 'How many times the agent started while the caller was speaking.',
    unit: 'count',
    example: 0,
  },
  falseInterruptions: {
    definition: 'How many times the agent paused and then continued.',
    unit: 'count',
    example: 1,
  },
  reminders: { definition: 'How many reminders the agent gave.', unit: 'count', example: 0 },
  waitingSentences: { definition: 'How many times the caller was asked to wait.', unit: 'count', example: 0 },
  backchannels: { definition: 'How many acknowledgments the agent said.', unit: 'count', example: 2 },
} as const satisfies Record<string, { definition: string; unit: FieldUnit; example: number }>;

export type ConversationField = keyof typeof conversationFields;

/** The fields with fixed names. Free-form names follow one of `callValuePrefixes`. */
export const fixedFields: ReadonlyMap<string, AnalyticsField> = new Map<string, AnalyticsField>([
  callDimension('agentId', 'The id of the agent.', 'agt_01m7f8nkmj0000v37e3s3e28jt97kb'),
  callDimension('agentVersion', 'The version of the agent.', 6),
  callDimension('type', 'How caller and agent talk.', 'phone'),
  callDimension('direction', 'Who called.', 'inbound'),
  callDimension('engine', 'What replied.', 'prompt'),
  callDimension('status', 'The final status of the call.', 'ended'),
  callDimension('endReason', 'Why the call ended.', 'caller_hangup'),
  callDimension('endedBy', 'Who ended the call.', 'caller'),
  callDimension('dataStorageSetting', 'How much of the call is stored.', 'everything'),
  ['model', dimension('The language model, as in `usage.llm.model`.', 'gpt-5.4-mini')],
  ['sttProvider', dimension('The provider of speech recognition, as in `usage.stt.provider`.', 'deepgram')],
  ['ttsProvider', dimension('The provider of the voice, as in `usage.tts.provider`.', 'openai')],
  callDimension(
    'phoneNumberId',
    'The phone number that was called, or that called.',
    'num_01m2k7qv3h0000x4t9w8c5n1r6ybdz',
  ),
  callDimension('batchId', 'The batch that placed the call.', 'bat_01m2k7qv3h0000x4t9w8c5n1r6ybdz'),
  ['currency', dimension('The currency of `cost`.', 'USD')],
  ['hourOfDay', dimension('The hour in which the call was created, 0 to 23 in the time zone.', 14, { type: 'number' })],
  ['dayOfWeek', dimension('The day on which it was created, 1 (Monday) to 7.', 1, { type: 'number' })],
  callDimension('analysis.status', 'Whether the call has been analyzed.', 'completed'),
  callDimension('analysis.sentiment', 'The caller’s sentiment.', 'positive'),
  callDimension('analysis.successful', 'Whether the call was a success.', true),
  callField('externalId', 'Your own reference.', 'visit-2981'),
  callField('from', 'Who called, as it is stored.', '+819012345678'),
  callField('to', 'Who was called, as it is stored.', '+81312345678'),
  callField('createdAt', 'When the call was created.', '2026-12-18T00:00:00Z'),
  callField('startedAt', 'When the caller joined, or the phone was answered.', '2026-12-18T00:00:00Z'),
  callField('endedAt', 'When the call ended.', '2026-12-18T00:00:00Z'),
  callField('durationMs', 'From `startedAt` to the end.', 102_408, 'milliseconds'),
  callField('latency.e2eMs.p50', 'The median latency of the call’s replies.', 910, 'milliseconds'),
  callField('latency.e2eMs.p90', '90% of the call’s replies took at most this long.', 1240, 'milliseconds'),
  callField('latency.e2eMs.p95', '95% of the call’s replies took at most this long.', 1240, 'milliseconds'),
  callField('latency.e2eMs.p99', '99% of the call’s replies took at most this long.', 1240, 'milliseconds'),
  callField('usage.llm.totalTokens', 'The tokens of the language model.', 2398, 'tokens'),
  callField('usage.knowledge.empty', 'How many searches found nothing.', 0, 'count'),
  ...Object.entries(conversationFields).map(([name, { definition, unit, example }]): [string, AnalyticsField] => [
    `conversation.${name}`,
    numberField(definition, unit, example),
  ]),
  ['cost', numberField('`cost.totalMicros`, in millionths of the currency.', 'micros', 184_200)],
]);

/** What a free-form name after one of `callValuePrefixes` is. */
export const freeFormPrefixes = {
  'analysis.data.': 'A value of `postCallAnalysisData`.',
  'metadata.': 'A value of the call’s `metadata`.',
  'variables.': 'A value of the call’s `variables`.',
  'collectedVariables.': 'A value that was collected during the call.',
} as const satisfies Record<(typeof callValuePrefixes)[number], string>;

/** In code points, like the names of analysis data. */
export const maxFieldName = 300;

export function isFreeForm(name: string): boolean {
  return (
    [...name.slice(0, 2 * maxFieldName + 1)].length <= maxFieldName &&
    callValuePrefixes.some((prefix) => name.startsWith(prefix) && name.length > prefix.length)
  );
}

/** The fields that figures can be filtered by. */
export const analyticsFields: FieldCatalog = (name) =>
  fixedFields.get(name) ??
  (isFreeForm(name) ? { type: 'any' } : name === transcriptField ? searchFields(name) : undefined);

export function isDimension(name: string): boolean {
  return fixedFields.get(name)?.isDimension ?? isFreeForm(name);
}
