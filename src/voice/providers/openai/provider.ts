import type { Clock } from '../../clock.ts';
import { createDispatcher } from '../connection/provider-http.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { isOpenAi, type OpenAiAccount } from './account.ts';
import { openAi } from './listing.ts';
import { createOpenAiRecognizer } from './speech/recognizer.ts';
import { createOpenAiVoice, openAiVoices } from './speech/voice.ts';

/** Language models, speech and transcription of OpenAI, or of a server with the same routes. */
export function createOpenAi(account: OpenAiAccount, clock: Clock): SpeechProvider {
  const dispatcher = createDispatcher(account);
  const parts = { ...account, dispatcher, clock };
  const recognizer = createOpenAiRecognizer(parts);
  const voice = createOpenAiVoice(parts);
  const hasOwnVoices = isOpenAi(account);
  return {
    ...openAi,
    configured: true,
    // Many servers with its protocol have language models alone, so that an agent has to name the provider there.
    automatic: hasOwnVoices,
    stt: () => recognizer,
    tts: () => voice,
    voices: async () =>
      hasOwnVoices
        ? openAiVoices.map((voiceId) => ({
            provider: openAi.name,
            voiceId,
            name: `${voiceId.slice(0, 1).toUpperCase()}${voiceId.slice(1)}`,
            languages: [],
          }))
        : [],
    close: () => dispatcher.destroy(),
  };
}
