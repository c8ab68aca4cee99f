import type { Voice } from '../../../speech-ports.ts';
import type { VoiceModel } from '../voice-folders.ts';
import type { SpeakingOptions, SpeakingPrograms } from './messages.ts';

export interface EmbeddedVoice extends Voice {
  readonly program: SpeakingOptions['program'];
  /** What the program calls it; of the Japanese voice, the neutral emotion. */
  readonly variant: string;
  /** Brings the voices to the same loudness. */
  readonly gain: number;
}

const english = { provider: 'embedded', languages: ['en'], program: 'flite' } as const;

/** The first voice of a language is its default, unless another was added. */
const voices: readonly EmbeddedVoice[] = [
  { ...english, voiceId: 'slt', name: 'SLT, American English, female', variant: 'slt', gain: 0.8 },
  { ...english, voiceId: 'rms', name: 'RMS, American English, male', variant: 'rms', gain: 1.3 },
  { ...english, voiceId: 'awb', name: 'AWB, Scottish English, male', variant: 'awb', gain: 1 },
  // `kal` itself has half the sample rate.
  { ...english, voiceId: 'kal', name: 'KAL, American English, male, robotic', variant: 'kal16', gain: 1.8 },
  {
    provider: 'embedded',
    voiceId: 'mei',
    name: 'Mei, Japanese, female',
    languages: ['ja'],
    program: 'open-jtalk',
    variant: 'normal',
    gain: 1,
  },
];

/** The emotions of an agent as those of the Japanese voice. */
export const japaneseEmotions: Readonly<Record<string, string>> = {
  calm: 'normal',
  happy: 'happy',
  sad: 'sad',
  angry: 'angry',
  sympathetic: 'bashful',
};

/** An operator who adds a voice wants to hear it: it is before the others, and so the default of its language. */
export function availableVoices({ flite, japanese, runtime, models }: SpeakingPrograms): readonly EmbeddedVoice[] {
  const included = voices.filter(({ program }) => (program === 'flite' ? flite : japanese) !== null);
  return [...(runtime === null ? [] : models.map(addedVoice)), ...included];
}

function addedVoice({ voiceId, languages }: VoiceModel): EmbeddedVoice {
  return { provider: 'embedded', voiceId, name: voiceId, languages, program: 'model', variant: voiceId, gain: 1 };
}
