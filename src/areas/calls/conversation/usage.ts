import type { Call } from '../../../contract/calls/call.ts';
import type { ModelUsage } from '../../../voice/llm.ts';
import type { SpeechUsage } from '../../../voice/spoken/spoken-session-parts.ts';

type Usage = Call['usage'];
type Entry = Usage['breakdown'][number];

const nothing = { requests: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, audioMs: 0, characters: 0 };

export interface Used {
  /** By the engine, in the whole call. */
  readonly models: readonly ModelUsage[];
  /** How many replies were requested since the last time. */
  readonly replies: number;
  /** By this session; null: the conversation is written. */
  readonly speech: SpeechUsage | null;
  /** What the call had used before this session. */
  readonly before: Usage;
}

/** What the call has used so far. */
export function usageOf(call: Call, { models, replies, speech, before }: Used): Usage {
  if (speech === null) return modelUsage(call, models, replies);
  const ofModels = call.usage.breakdown.filter(({ capability }) => capability === 'llm');
  const { llm, breakdown, ...rest } = modelUsage(
    { ...call, usage: { ...call.usage, breakdown: ofModels } },
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

/** With what the engine reports. `replies`: how many were requested since. */
function modelUsage(call: Call, models: readonly ModelUsage[], replies: number): Call['usage'] {
  const { usage, engine } = call;
  if (engine === 'test') {
    const before = usage.breakdown[0]?.requests ?? 0;
    const entry = { provider: 'test', model: usage.llm.model, requests: before + replies, ...noTokens };
    return before + replies === 0 ? usage : { ...usage, breakdown: [{ capability: 'llm', ...entry, ...noMedia }] };
  }
  if (models.length === 0) return usage;
  const sum = (name: keyof typeof noTokens) => models.reduce((total, model) => total + model[name], 0);
  const [promptTokens, cachedTokens, completionTokens] = [
    sum('promptTokens'),
    sum('cachedTokens'),
    sum('completionTokens'),
  ];
  const totalTokens = promptTokens + completionTokens;
  return {
    ...usage,
    llm: { ...usage.llm, promptTokens, cachedTokens, completionTokens, totalTokens },
    breakdown: models.map(({ model: _, sentModel, ...entry }) => ({
      capability: 'llm',
      ...entry,
      model: sentModel,
      ...noMedia,
    })),
  };
}

const noTokens = { promptTokens: 0, cachedTokens: 0, completionTokens: 0 };
const noMedia = { audioMs: 0, characters: 0 };

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
