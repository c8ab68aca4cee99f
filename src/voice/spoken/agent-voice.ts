import { type NotApplied, speakingSpeed, speechRateOf } from '../policy.ts';
import { testProviderName } from '../providers/test/test-speech.ts';
import { CallVoice, type ChosenVoice } from './call-voice.ts';
import type { CallerRates } from './caller-rates.ts';
import type { SpokenSessionParts } from './spoken-session-parts.ts';

interface AgentVoiceOptions {
  readonly callerRates: CallerRates;
  /** The voice of the previous session; null: the agent's own. */
  readonly chosen: ChosenVoice | null;
  readonly onSwitched: (from: string, to: string) => void;
}

type VoiceParts = Pick<SpokenSessionParts, 'clock' | 'agent' | 'speech' | 'fixedSentences'> & {
  readonly audio: { readonly transport: { readonly rate: number } };
};

/** The voice that the agent's settings ask for; null if what it says is only written. */
export function agentVoice(
  { clock, agent, speech, audio, fixedSentences }: VoiceParts,
  { callerRates, chosen, onSwitched }: AgentVoiceOptions,
): CallVoice | null {
  if (speech.tts === null) return null;
  const speechRate = speechRateOf(agent);
  const settings = {
    voiceIds: [agent.voiceId, ...agent.fallbackVoiceIds] as const,
    otherProviders: speech.otherTts ?? [],
    chosen,
    model: agent.voiceModel,
    emotion: agent.voiceEmotion,
    temperature: agent.voiceTemperature,
    language: agent.language,
    rate: audio.transport.rate,
    /** In steps: a voice that changes a little all the time is tiring, and cached speech has one speed. */
    speed: () => {
      const speed = speakingSpeed(speechRate, callerRates.rates, agent.language);
      return speechRate.follows === null ? speed : Math.round(speed * 20) / 20;
    },
    fixedSentences,
  };
  return new CallVoice(clock, speech.tts, settings, speech.cache, onSwitched);
}

/** The settings of the agent's voice that its provider cannot honor. */
export function voiceNotApplied({ agent, speech }: SpokenSessionParts, voice: CallVoice | null): readonly NotApplied[] {
  if (speech.tts === null || voice === null) return [];
  const list: NotApplied[] = [...speech.tts.notApplied(voice.firstOptions)];
  // The words of test speech are in its samples.
  const hasVolume = speech.tts.name !== testProviderName;
  if (!hasVolume && agent.volume !== 1) list.push({ field: 'volume', reason: 'not_supported' });
  return list;
}
