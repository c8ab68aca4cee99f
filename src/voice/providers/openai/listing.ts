import type { ProviderListing } from '../speech-provider.ts';

/** All languages that its models know. */
export const openAi: ProviderListing = {
  name: 'openai',
  capabilities: ['llm', 'stt', 'tts'],
  languages: [],
};
