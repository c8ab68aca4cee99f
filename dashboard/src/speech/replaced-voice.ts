import type { Provider, Voice } from '../../../sdk/src/index.ts';
import { chosenProviders } from '../../../src/core/provider-choice.ts';
import { primary } from '../try/spoken/speech-support.ts';

export interface WantedVoice {
  readonly voiceId: string;
  readonly ttsProvider: string;
  readonly language: string;
}

/**
 * The voice that calls use instead, if the service does not have the one that is wanted; null if it has it, or cannot
 * know. Only the embedded voices are all known; providers have more than they list.
 */
export function replacedVoice(
  providers: readonly Provider[],
  voices: readonly Voice[],
  { voiceId, ttsProvider, language }: WantedVoice,
): Voice | null {
  if (voiceId === '' || language === '') return null;
  const chosen = chosenProviders(providers, 'tts', ttsProvider).find(
    ({ languages }) => languages.length === 0 || languages.map(primary).includes(primary(language)),
  );
  if (chosen?.name !== 'embedded') return null;
  const speaking = voices.filter(
    ({ provider, languages }) => provider === 'embedded' && languages.map(primary).includes(primary(language)),
  );
  return speaking.some((voice) => voice.voiceId === voiceId) ? null : (speaking[0] ?? null);
}
