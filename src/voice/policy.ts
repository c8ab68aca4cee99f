import type { Agent } from '../contract/agents/agent.ts';
import type { TurnSettings } from './engines/engine.ts';
import { backchannelWords, isAcknowledgment } from './text/acknowledgments.ts';
import { endOfTurnHint } from './text/end-of-turn.ts';
import { fixedPhrases } from './text/fixed-phrases.ts';
import { isJapanese } from './text/language.ts';
import { countWords } from './text/words.ts';
import type { TurnPolicy } from './turn/events.ts';
import type { Variables } from './variables.ts';

/** How long a voice has for its first sample, before the next one is tried. */
export const firstAudioMs = 3000;
/** The last voice has longer: a sentence that comes late is better than the end of the call. */
export const lastFirstAudioMs = 10_000;

/** An agent setting that a call cannot honor. */
export interface NotApplied {
  readonly field: string;
  readonly reason: 'not_supported' | 'clamped' | 'provider_not_configured' | 'data_storage_setting' | 'not_understood';
  /** What is used instead, if it has a name. */
  readonly used?: string;
}

/** What the agent's settings meet in this call. */
export interface CallConditions {
  readonly isChat: boolean;
  /** The opening of a flow follows a `beginMessage`, so its engine says both. */
  readonly isFlow: boolean;
  readonly recognizer: {
    readonly hasPartials: boolean;
    /** How long a final transcript may take after the caller has stopped. */
    readonly waitMs: number;
    /** Hears the agent's own voice until the browser's echo cancellation has settled. */
    readonly hasEcho: boolean;
  };
}

export interface Policy {
  readonly turn: TurnPolicy;
  readonly speechRate: SpeechRate;
  readonly notApplied: readonly NotApplied[];
}

/** The agent's speaking rate: fixed, or following the caller's over the last turns. */
export interface SpeechRate {
  readonly speed: number;
  readonly follows: {
    readonly windowSize: number;
    readonly ratio: number;
    readonly minSpeed: number;
    readonly maxSpeed: number;
  } | null;
}

/** A caller who pauses this long at the least responsive setting is really done: 1.8 s. */
const minEndpointMs = 300;
const endpointRangeMs = 1500;
/** A finished sentence needs no longer wait than it takes to draw breath. */
const finishedEndpointMs = 200;
/** "and …", a number that is being read out: people look things up for about this long. */
const openEndpointMs = 2500;
/** Shorter sounds are mostly coughs and clicks. */
const minBargeInMs = 200;
const bargeInRangeMs = 800;
/** From a sound without words until the agent goes on. Shorter cuts off slow starters, longer feels like a dead line. */
const falseInterruptionMs = 1500;
/** Accurate recognition may take this much longer. */
const accurateSttMs = 700;
const maxBackchannelGapMs = 8000;
const backchannelGapRangeMs = 6000;

export function policyOf(agent: Agent, conditions: CallConditions): Policy {
  return {
    turn: turnPolicy(agent, conditions),
    speechRate: speechRateOf(agent),
    notApplied: notApplied(agent, conditions),
  };
}

function turnPolicy(agent: Agent, { isChat, isFlow, recognizer }: CallConditions): TurnPolicy {
  const { language, responsiveness, interruptionSensitivity: sensitivity } = agent;
  const phrases = fixedPhrases(language);
  return {
    isChat,
    language: {
      countWords: (text) => countWords(text, language),
      isAcknowledgment: (text) => isAcknowledgment(text, language),
      hint: (words) => endOfTurnHint(words, language),
      waitingText: phrases.waiting,
      fallbackText: phrases.fallback,
    },
    opening: openingOf(agent, isChat, isFlow),
    endpointMs: endpointMsOf(responsiveness),
    finishedEndpointMs,
    openEndpointMs,
    ...interruptionOf(sensitivity, isChat),
    echoMs: recognizer.hasEcho ? 3000 : 0,
    falseInterruptionMs,
    holdMs: 3000,
    digitsMs: 2500,
    lateAcknowledgmentMs: 1000,
    reminderMs: agent.reminderTriggerMs,
    reminderMax: isChat ? 0 : agent.reminderMaxCount,
    silenceMs: agent.endCallAfterSilenceMs,
    maxMs: agent.maxCallDurationMs,
    sttWaitMs: recognizer.waitMs + (agent.sttMode === 'accurate' ? accurateSttMs : 0),
    isSttAccurate: agent.sttMode === 'accurate',
    hasPartials: recognizer.hasPartials,
    // Without partials the words of a long sentence arrive at its end.
    noiseMs: recognizer.hasPartials ? 2500 : 15_000,
    replyTimeoutMs: 15_000,
    replyCompleteMs: 30_000,
    maxFailedReplies: 3,
    waitingMs: 4000,
    toolWaitingMs: 2000,
    firstAudioMs: firstAudioMs * agent.fallbackVoiceIds.length + lastFirstAudioMs + 500,
    stalledPlaybackMs: 5000,
    clearMs: 250,
    drainMs: 2000,
    lostMs: 30_000,
    backchannel: backchannelOf(agent, isChat),
  };
}

function endpointMsOf(responsiveness: number): number {
  return Math.round(minEndpointMs + (1 - responsiveness) * endpointRangeMs);
}

function interruptionOf(
  sensitivity: number,
  isChat: boolean,
): Pick<TurnPolicy, 'isInterruptible' | 'bargeInMs' | 'bargeInWords'> {
  return {
    isInterruptible: isChat || sensitivity > 0,
    bargeInMs: Math.round(minBargeInMs + (1 - sensitivity) * bargeInRangeMs),
    bargeInWords: sensitivity >= 0.8 ? 0 : sensitivity >= 0.5 ? 1 : sensitivity >= 0.2 ? 2 : 3,
  };
}

/** The same with what an engine has changed during the call. */
export function adjustedPolicy(policy: TurnPolicy, settings: TurnSettings): TurnPolicy {
  const { responsiveness, interruptionSensitivity, reminderTriggerMs, reminderMaxCount } = settings;
  return {
    ...policy,
    ...(responsiveness !== undefined && { endpointMs: endpointMsOf(responsiveness) }),
    ...(interruptionSensitivity !== undefined && interruptionOf(interruptionSensitivity, policy.isChat)),
    ...(reminderTriggerMs !== undefined && { reminderMs: reminderTriggerMs }),
    ...(reminderMaxCount !== undefined && { reminderMax: policy.isChat ? 0 : reminderMaxCount }),
  };
}

function openingOf(
  { beginMessage, beginMessageDelayMs }: Agent,
  isChat: boolean,
  isFlow: boolean,
): TurnPolicy['opening'] {
  const delayMs = isChat ? 0 : beginMessageDelayMs;
  if (beginMessage === '') return { kind: 'wait', text: '', delayMs };
  if (beginMessage === null || isFlow) return { kind: 'request', text: '', delayMs };
  return { kind: 'text', text: beginMessage, delayMs };
}

function backchannelOf(agent: Agent, isChat: boolean): TurnPolicy['backchannel'] {
  if (isChat || !agent.enableBackchannel) return null;
  return {
    gapMs: maxBackchannelGapMs - backchannelGapRangeMs * agent.backchannelFrequency,
    pauseMs: 200,
    maxPerTurn: 3,
    // Where the agent answers quickly, a backchannel would collide with the answer.
    minEndpointMs: 800,
    words: agent.backchannelWords.length > 0 ? agent.backchannelWords : backchannelWords(agent.language),
  };
}

export function speechRateOf({ voiceSpeed, enableDynamicVoiceSpeed, adaptiveSpeechRate }: Agent): SpeechRate {
  if (adaptiveSpeechRate !== undefined) {
    const { enabled, minSpeed, maxSpeed, windowSize, speedRatio = 1 } = adaptiveSpeechRate;
    return { speed: voiceSpeed, follows: enabled ? { windowSize, ratio: speedRatio, minSpeed, maxSpeed } : null };
  }
  if (!enableDynamicVoiceSpeed) return { speed: voiceSpeed, follows: null };
  return { speed: voiceSpeed, follows: { windowSize: 3, ratio: 1, minSpeed: 0.8, maxSpeed: 1.2 } };
}

/** The speed for the next reply. `callerRates`: characters per second of the caller's turns so far. */
export function speakingSpeed(
  { speed, follows }: SpeechRate,
  callerRates: readonly number[],
  language: string,
): number {
  if (follows === null || callerRates.length === 0) return speed;
  const recent = callerRates.slice(-follows.windowSize);
  const rate = recent.reduce((sum, each) => sum + each, 0) / recent.length;
  const wanted = speed * follows.ratio * (rate / baseRate(language));
  return Math.min(follows.maxSpeed, Math.max(follows.minSpeed, wanted));
}

/** Characters per second of unhurried speech on the phone. */
function baseRate(language: string): number {
  return isJapanese(language) ? 6 : 14;
}

function notApplied(agent: Agent, { isChat }: CallConditions): NotApplied[] {
  const list: NotApplied[] = [];
  for (const [index, item] of (agent.agentVariables ?? []).entries()) {
    if (!isVariable(item)) list.push({ field: `agentVariables.${index}`, reason: 'not_understood' });
  }
  // A dynamic speed has no effect next to an adaptive one.
  if (!isChat && agent.enableDynamicVoiceSpeed && agent.adaptiveSpeechRate !== undefined) {
    list.push({ field: 'enableDynamicVoiceSpeed', reason: 'not_supported' });
  }
  return list;
}

/**
 * Defaults for `{{name}}`. An item without a value declares a variable that calls are given. Items of another shape are
 * kept in the agent and have no effect.
 */
export function agentVariables(agent: Agent): Variables {
  const entries = (agent.agentVariables ?? []).flatMap((item) =>
    isVariable(item) && item.value !== undefined ? [[item.name, item.value]] : [],
  );
  return Object.fromEntries(entries);
}

function isVariable(item: unknown): item is { name: string; value?: string | number | boolean | null } {
  if (typeof item !== 'object' || item === null || !('name' in item)) return false;
  const { name, value } = item as { readonly name: unknown; readonly value?: unknown };
  const isScalar = value === undefined || value === null || ['string', 'number', 'boolean'].includes(typeof value);
  return typeof name === 'string' && isScalar;
}
