import type { Sherpa, SherpaVoice } from '../sherpa.ts';
import type { VoiceModel } from '../voice-folders.ts';
import type { Recording } from './wav-samples.ts';

/** Aborts the process if the model is damaged: try it in a process of its own first. */
export function loadVoice(sherpa: Sherpa, { kind, config }: VoiceModel): SherpaVoice {
  return new sherpa.OfflineTts({
    model: { [kind]: config, numThreads: 1, debug: false, provider: 'cpu' },
    maxNumSentences: 1,
  });
}

/** Null if the voice knows no sound for the text, such as for another script. */
export function speakWith(voice: SherpaVoice, text: string, speed: number): Recording | null {
  const audio = generated(voice, text, speed);
  if (audio === null) return null;
  const samples = Int16Array.from(audio.samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767));
  return { rate: audio.sampleRate, samples };
}

function generated(voice: SherpaVoice, text: string, speed: number) {
  try {
    // A buffer of the runtime's own cannot be used in a thread.
    return voice.generate({ text, enableExternalBuffer: false, generationConfig: { sid: 0, speed } });
  } catch (error) {
    // The only error that it reports; what is wrong with the model ends the process.
    if (/generation failed/.test((error as Error).message)) return null;
    throw error;
  }
}
