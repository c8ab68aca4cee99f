import type { Call } from '../../../contract/calls/call.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import { maskedNumber } from '../../../contract/phone-number.ts';
import {
  redact,
  redactJson,
  redactKeys,
  redactToolArguments,
  redactToolJson,
  redactWords,
} from '../../../voice/text/personal-data.ts';

/** The limits of an analysis. */
const maxSummary = 2000;
const maxQuote = 500;

export type StorageSetting = Call['dataStorageSetting'];

/** The warning in every call whose personal data is redacted. */
export const partialRedaction = {
  code: 'redaction_is_partial',
  message:
    'Personal data is removed from what is stored. Names of people, postal addresses and numbers that are split over several turns are not detected.',
} as const;

/** From the loosest to the strictest. */
const strictness: readonly StorageSetting[] = ['everything', 'everything_except_pii', 'basic_attributes_only'];

export function isLooser(one: StorageSetting, other: StorageSetting): boolean {
  return strictness.indexOf(one) < strictness.indexOf(other);
}

/** What has to be sealed while the call is open, because it may not be stored in the clear. */
export function isSealed(setting: StorageSetting): boolean {
  return setting !== 'everything';
}

/** Keys that were pressed, as they may be stored. */
export function storedKeys(keys: string | null, setting: StorageSetting): string | null {
  if (setting === 'basic_attributes_only') return null;
  if (setting === 'everything' || keys === null) return keys;
  return redactKeys(keys);
}

/** A phone number as it may be stored. */
export function storedNumber(number: string | null, setting: StorageSetting): string | null {
  if (number === null || setting === 'basic_attributes_only') return null;
  return setting === 'everything' ? number : maskedNumber(number);
}

/** The turn as it may be stored; null if nothing of it may. */
export function storedTurn(turn: Turn, setting: StorageSetting): Turn | null {
  if (setting === 'everything') return turn;
  if (setting === 'basic_attributes_only') return null;
  const { unspokenText, words, toolCall } = turn;
  const text = redact(turn.role === 'caller' ? redactKeys(turn.text) : turn.text);
  return {
    ...turn,
    text,
    unspokenText: unspokenText === null ? null : redact(unspokenText),
    words: storedWords(words, text),
    toolCall:
      toolCall === null
        ? null
        : {
            ...toolCall,
            arguments: redactToolArguments(toolCall.name, toolCall.arguments) as Record<string, unknown>,
            result: redactToolJson(toolCall.result),
          },
  };
}

export interface TurnJson {
  /** Null if nothing of the turn may be stored. */
  readonly doc: string | null;
  /** The content could not be redacted or serialized, or does not fit. */
  readonly isDropped: boolean;
}

/** The turn as JSON, as it may be stored. Never throws: a call must be able to end, whatever was said in it. */
export function storedTurnJson(turn: Turn, setting: StorageSetting, maxBytes = Number.POSITIVE_INFINITY): TurnJson {
  try {
    const kept = storedTurn(turn, setting);
    const doc = kept === null ? null : JSON.stringify(kept);
    if (doc === null || Buffer.byteLength(doc) <= maxBytes) return { doc, isDropped: false };
  } catch {
    // What cannot be redacted or written is dropped like what does not fit.
  }
  return { doc: JSON.stringify(withoutText(turn)), isDropped: true };
}

function withoutText(turn: Turn): Turn {
  const { unspokenText, toolCall } = turn;
  return {
    ...turn,
    text: '',
    unspokenText: unspokenText === null ? null : '',
    words: [],
    // Without a result and without a duration, it would be a tool that still runs.
    toolCall: toolCall && { ...toolCall, arguments: {}, result: null, durationMs: Math.max(1, toolCall.durationMs) },
  };
}

/** The warning in a call of which something could not be stored. */
export function contentDropped(what: string): { readonly code: string; readonly message: string } {
  return { code: 'content_dropped', message: `${what} could not be stored and was removed.` };
}

/** None if something was found in the text that the words still have: they have no punctuation, such as the 〒 of a code. */
function storedWords(words: Turn['words'], text: string): Turn['words'] {
  const redacted = redactWords(words);
  const found = tagsIn(redacted.map((word) => word.text).join(' '));
  for (const tag of tagsIn(text)) {
    const place = found.indexOf(tag);
    if (place === -1) return [];
    found.splice(place, 1);
  }
  return redacted;
}

function tagsIn(text: string): string[] {
  return text.match(/\[[A-Z_]+\]/g) ?? [];
}

/** Variables and metadata as they may be stored. None if they cannot be redacted. */
export function storedValues<Values extends object>(
  values: Values,
  setting: StorageSetting,
  onDropped: () => void = () => {},
): Values {
  if (setting === 'everything') return values;
  if (setting === 'basic_attributes_only') return {} as Values;
  try {
    return redactJson(values);
  } catch {
    onDropped();
    return {} as Values;
  }
}

/**
 * Why a call ended, as it may be stored. An agent that hangs up gives its reason in words about the conversation; after a
 * colon, a failure may have the words of a server, which may repeat some of the conversation.
 */
export function storedDetail(
  { endReason, endDetail }: Pick<Call, 'endReason' | 'endDetail'>,
  setting: StorageSetting,
): string | null {
  if (endDetail === null || setting === 'everything') return endDetail;
  if (setting === 'everything_except_pii') return cut(redact(endDetail), maxQuote);
  return endReason === 'agent_hangup' ? null : (endDetail.split(': ')[0] as string);
}

/** The call as a stricter setting keeps it. */
export function reducedCall(call: Call, setting: StorageSetting, onDropped: (field: string) => void = () => {}): Call {
  const isBasic = setting === 'basic_attributes_only';
  const hasRecording = !['none', 'not_stored'].includes(call.recording.status);
  return {
    ...call,
    from: storedNumber(call.from, setting),
    to: storedNumber(call.to, setting),
    dataStorageSetting: setting,
    variables: storedValues(call.variables, setting, () => onDropped('variables')),
    collectedVariables: storedValues(call.collectedVariables, setting, () => onDropped('collectedVariables')),
    metadata: storedValues(call.metadata, setting, () => onDropped('metadata')),
    endDetail: storedDetail(call, setting),
    transcriptStatus: isBasic && call.transcriptStatus === 'available' ? 'deleted' : call.transcriptStatus,
    recording: hasRecording ? { status: 'deleted', durationMs: null, sizeBytes: null } : call.recording,
    analysis: reducedAnalysis(call.analysis, setting),
  };
}

/** The analysis as a stricter setting keeps it. Nothing of its content if that cannot be redacted. */
export function reducedAnalysis<A extends Call['analysis']>(analysis: A, setting: StorageSetting): A {
  if (setting === 'basic_attributes_only') return withoutContent(analysis);
  try {
    return redactedAnalysis(analysis);
  } catch {
    return withoutContent(analysis);
  }
}

/** A new analysis as it may be stored: a model may put together what was said in several turns. */
export function storedAnalysis<A extends Call['analysis']>(analysis: A, setting: StorageSetting): A {
  return setting === 'everything' ? analysis : reducedAnalysis(analysis, setting);
}

/** Without a transcript, an analysis that is pending has nothing to read any more. */
export function endedWithContent<A extends Call['analysis']>(analysis: A, setting: StorageSetting, at: string): A {
  if (setting !== 'basic_attributes_only' || analysis.status !== 'pending') return analysis;
  return { ...analysis, status: 'skipped', reason: 'data_storage_setting', model: null, completedAt: at };
}

function withoutContent<A extends Call['analysis']>(analysis: A): A {
  return {
    ...analysis,
    summary: null,
    successful: null,
    sentiment: null,
    data: {},
    evidence: { successful: null, sentiment: null, data: {} },
    issues: [],
  };
}

function redactedAnalysis<A extends Call['analysis']>(analysis: A): A {
  const { summary, data, evidence } = analysis;
  return {
    ...analysis,
    summary: summary === null ? null : cut(redact(summary), maxSummary),
    data: redactedByName(data, maxSummary),
    evidence: {
      successful: redactedEvidence(evidence.successful),
      sentiment: redactedEvidence(evidence.sentiment),
      data: Object.fromEntries(Object.entries(evidence.data).map(([name, given]) => [name, redactedEvidence(given)])),
    },
  };
}

type Evidence = Call['analysis']['evidence']['successful'];

function redactedEvidence(evidence: Evidence): Evidence {
  if (evidence === null) return null;
  const { quote, rationale } = evidence;
  return {
    ...evidence,
    quote: cut(redact(quote), maxQuote),
    rationale: rationale === null ? null : cut(redact(rationale), maxQuote),
  };
}

/** The names are those of the agent; they tell what a value is, as in `dateOfBirth`. */
function redactedByName(values: Readonly<Record<string, unknown>>, maxLength: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const [redacted] = Object.values(redactJson({ [name]: value }));
      return [name, typeof redacted === 'string' ? cut(redacted, maxLength) : redacted];
    }),
  );
}

/** A tag may be longer than what it replaces. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text].slice(0, max).join('');
}
