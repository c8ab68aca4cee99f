import type { Call } from '../../../contract/calls/call.ts';
import type { ModelUsage } from '../../../voice/llm.ts';
import type { SpeechUsage } from '../../../voice/spoken/spoken-session-parts.ts';
import { usageOf } from './records.ts';

type Usage = Call['usage'];
type Entry = Usage['breakdown'][number];

const nothing = { requests: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, audioMs: 0, characters: 0 };

/**
 * What the call has used so far: with what its engine reports, and what this session has used of speech on top of
 * what the call had used before it. `replies`: how many were requested since the last time.
 */
export function liveUsage(
  call: Call,
  before: Usage,
  models: readonly ModelUsage[],
  replies: number,
  speech: SpeechUsage,
): Usage {
  const ofModels = (usage: Usage) => usage.breakdown.filter(({ capability }) => capability === 'llm');
  const { llm, breakdown, ...rest } = usageOf(
    { ...call, usage: { ...call.usage, breakdown: ofModels(call.usage) } },
    models,
    replies,
  );
  const used: Entry[] = [
    ...speech.stt.map((entry) => ({ ...nothing, capability: 'stt' as const, model: null, ...entry })),
    ...speech.tts.map((entry) => ({ ...nothing, capability: 'tts' as const, ...entry })),
  ];
  const spoken = merged([...before.breakdown.filter(({ capability }) => capability !== 'llm'), ...used]);
  const total = (capability: string, name: 'audioMs' | 'characters') =>
    spoken.filter((entry) => entry.capability === capability).reduce((sum, entry) => sum + entry[name], 0);
  const lastOf = (capability: string) => spoken.findLast((entry) => entry.capability === capability)?.provider ?? null;
  return {
    ...rest,
    llm,
    stt: { provider: lastOf('stt'), audioMs: total('stt', 'audioMs') },
    tts: { provider: lastOf('tts'), characters: total('tts', 'characters') },
    breakdown: [...breakdown, ...spoken],
  };
}

/** One entry per capability, provider and model. */
function merged(entries: readonly Entry[]): Entry[] {
  const found = new Map<string, Entry>();
  for (const entry of entries) {
    const name = JSON.stringify([entry.capability, entry.provider, entry.model]);
    const known = found.get(name);
    const sum = known ?? { ...entry, ...nothing };
    found.set(name, {
      ...sum,
      requests: sum.requests + entry.requests,
      audioMs: sum.audioMs + entry.audioMs,
      characters: sum.characters + entry.characters,
    });
  }
  return [...found.values()];
}
