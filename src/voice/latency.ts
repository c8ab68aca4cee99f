import type { TurnLatency } from './ports.ts';

/** The times of one reply on the clock of the call, from the caller's last voiced frame to the first sample played. */
export interface ReplyTimes {
  speechEnd: number | null;
  vadEnd: number | null;
  sttFinal: number | null;
  /** Until when the request was held back on purpose: earlier than `request` if the timer of the wait fired late. */
  waitEnd: number | null;
  request: number | null;
  /** How long the reply waited for knowledge before its first text, in milliseconds; null: it has none. */
  knowledgeMs: number | null;
  firstToken: number | null;
  /** When the first sentence was complete. */
  firstSentence: number | null;
  ttsRequest: number | null;
  firstFrameSent: number | null;
}

export function noTimes(): ReplyTimes {
  return {
    speechEnd: null,
    vadEnd: null,
    sttFinal: null,
    waitEnd: null,
    request: null,
    knowledgeMs: null,
    firstToken: null,
    firstSentence: null,
    ttsRequest: null,
    firstFrameSent: null,
  };
}

/**
 * Null for a turn without an observed start, such as a reminder. The stages follow one another and never overlap:
 * recognition lasts from the end of the sound to the final transcript, and the rest of the time until `waitEnd` is waited
 * on purpose. Then the reply waits for knowledge, and for the model until its first sentence is complete. The first part of
 * that is `llmFirstTokenMs`; the rest is in no stage. Time that belongs to none of these is `ownMs`, that of the service.
 */
export function latencyOf(times: ReplyTimes, isChat: boolean): TurnLatency | null {
  const { speechEnd, vadEnd, sttFinal, waitEnd, request, firstToken, firstSentence, ttsRequest, firstFrameSent } =
    times;
  if (speechEnd === null || request === null || firstToken === null) return null;
  const end = isChat ? firstToken : firstFrameSent;
  if (end === null) return null;
  // Whole milliseconds since the start, no later than the end: differences of these add up, rounded ones would not.
  const at = (time: number) => Math.round(Math.max(0, Math.min(time, end) - speechEnd));
  const between = (from: number, to: number) => Math.max(0, at(to) - at(from));
  const e2eMs = at(end);
  // A transcript that came after the request did not delay it.
  const sttMs =
    isChat || vadEnd === null || sttFinal === null
      ? null
      : between(Math.min(vadEnd, request), Math.min(sttFinal, request));
  const waitedUntil = Math.min(request, Math.max(waitEnd ?? request, sttFinal ?? 0));
  const endpointingMs = isChat ? null : at(waitedUntil) - (sttMs ?? 0);
  // If the caller is told to wait before the model replies, that is what they hear first.
  const modelEnd = Math.max(request, Math.min(firstToken, ttsRequest ?? firstToken));
  const engineMs = between(request, modelEnd);
  const knowledgeMs = times.knowledgeMs === null ? null : Math.min(Math.round(times.knowledgeMs), engineMs);
  const llmFirstTokenMs = engineMs - (knowledgeMs ?? 0);
  const ttsFirstAudioMs = isChat || ttsRequest === null ? null : between(Math.max(ttsRequest, modelEnd), end);
  const sentenceMs = isChat ? 0 : between(modelEnd, Math.min(firstSentence ?? modelEnd, ttsRequest ?? end));
  const elsewhere = (endpointingMs ?? 0) + (sttMs ?? 0) + engineMs + sentenceMs + (ttsFirstAudioMs ?? 0);
  return { e2eMs, endpointingMs, sttMs, knowledgeMs, llmFirstTokenMs, ttsFirstAudioMs, ownMs: e2eMs - elsewhere };
}

/** Without the stages of speech that the call does not have: nobody waited for them. */
export function audibleLatency(
  latency: TurnLatency | null,
  { speechIn, speechOut }: { readonly speechIn: boolean; readonly speechOut: boolean },
): TurnLatency | null {
  if (latency === null) return null;
  const endpointingMs = speechIn ? latency.endpointingMs : null;
  const ttsFirstAudioMs = speechOut ? latency.ttsFirstAudioMs : null;
  return { ...latency, endpointingMs, ttsFirstAudioMs };
}

export interface Distribution {
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** How often each time was measured, ascending: short, because a chat reads and writes it with every message. */
export type Histogram = readonly (readonly [ms: number, count: number])[];

/** Percentiles by nearest rank. */
export function distribution(histogram: Histogram): Distribution | null {
  const [first] = histogram;
  if (first === undefined) return null;
  const count = histogram.reduce((sum, [, times]) => sum + times, 0);
  const rank = (share: number): number => {
    let left = Math.ceil(share * count);
    for (const [ms, times] of histogram) {
      left -= times;
      if (left <= 0) return ms;
    }
    return first[0];
  };
  return { p50: rank(0.5), p90: rank(0.9), p95: rank(0.95), p99: rank(0.99), min: first[0], max: rank(1), count };
}

const names = [
  'e2eMs',
  'endpointingMs',
  'sttMs',
  'knowledgeMs',
  'llmFirstTokenMs',
  'ttsFirstAudioMs',
  'ownMs',
] as const satisfies readonly (keyof TurnLatency)[];

export type CallLatency = { readonly turns: number } & Readonly<Record<(typeof names)[number], Distribution | null>>;

/** Null until an agent turn has a latency. */
export function callLatency(
  turns: readonly { readonly role: string; readonly latency: TurnLatency | null }[],
): CallLatency | null {
  const latencies = turns.flatMap(({ latency }) => (latency === null ? [] : [latency]));
  if (latencies.length === 0) return null;
  const summaries = names.map((name) => {
    const values = latencies.flatMap((latency) => (latency[name] === null ? [] : [latency[name]]));
    const sorted = values.toSorted((one, other) => one - other);
    return [name, distribution(sorted.map((value) => [value, 1] as const))] as const;
  });
  return {
    turns: turns.filter(({ role }) => role === 'agent').length,
    ...(Object.fromEntries(summaries) as Record<(typeof names)[number], Distribution | null>),
  };
}
