import type { SpeechProvider } from '../speech-provider.ts';
import { createTestStt, createTestTts, testProviderName } from './test-speech.ts';

/** Only for agents that name it. */
export const testProvider: SpeechProvider = {
  name: testProviderName,
  configured: true,
  capabilities: ['stt', 'tts'],
  languages: [],
  automatic: false,
  stt: () => createTestStt(),
  tts: () => createTestTts(),
};
