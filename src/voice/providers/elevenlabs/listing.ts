import type { ProviderListing } from '../speech-provider.ts';

/** Languages: https://elevenlabs.io/docs/overview/models, those of `eleven_flash_v2_5`. */
export const elevenLabs: ProviderListing = {
  name: 'elevenlabs',
  capabilities: ['tts'],
  languages: 'ar bg cs da de el en es fi fil fr hi hr hu id it ja ko ms nl no pl pt ro ru sk sv ta tr uk vi zh'.split(
    ' ',
  ),
};
