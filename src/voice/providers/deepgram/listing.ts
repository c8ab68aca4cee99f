import type { ProviderListing } from '../speech-provider.ts';
import { deepgramLanguages } from './languages.ts';

/** Deepgram recognizes speech. */
export const deepgram: ProviderListing = {
  name: 'deepgram',
  capabilities: ['stt'],
  languages: deepgramLanguages,
};
