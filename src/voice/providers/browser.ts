import type { SpeechProvider } from './speech-provider.ts';

export const browserProviderName = 'browser';

/**
 * Recognition in the caller's browser: the page sends words, and we do not listen. Never chosen by `auto`: the audio goes
 * to the maker of the browser, which is for the user to decide.
 */
export const browserProvider: SpeechProvider = {
  name: browserProviderName,
  configured: true,
  capabilities: ['stt'],
  languages: [],
  automatic: false,
};
