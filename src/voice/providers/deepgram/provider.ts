import type { Clock } from '../../clock.ts';
import type { ProviderAccount } from '../connection/account.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { deepgramLanguage } from './languages.ts';
import { deepgram } from './listing.ts';
import { createDeepgramRecognizer } from './recognizer.ts';

/** Recognition by Deepgram. */
export function createDeepgram(account: ProviderAccount, clock: Clock): SpeechProvider {
  const recognizer = createDeepgramRecognizer(account, clock);
  return {
    ...deepgram,
    configured: true,
    automatic: true,
    stt: (language) => (deepgramLanguage(language) === null ? null : recognizer),
  };
}
