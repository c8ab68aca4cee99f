import type { Clock } from '../../clock.ts';
import type { ProviderAccount } from '../connection/account.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { deepgramLanguage, deepgramLanguages } from './languages.ts';
import { createDeepgramRecognizer, deepgramName } from './recognizer.ts';

/** Recognition by Deepgram. */
export function createDeepgram(account: ProviderAccount | null, clock: Clock): SpeechProvider {
  const recognizer = account === null ? null : createDeepgramRecognizer(account, clock);
  return {
    name: deepgramName,
    configured: account !== null,
    capabilities: ['stt'],
    languages: deepgramLanguages,
    isAutomatic: true,
    stt: (language) => (deepgramLanguage(language) === null ? null : recognizer),
  };
}
