import type { ProviderListing } from '../speech-provider.ts';

/** Languages: https://docs.cartesia.ai/api-reference/voices/get. */
export const cartesia: ProviderListing = {
  name: 'cartesia',
  capabilities: ['tts'],
  languages:
    'ar bg bn cs da de el en es fi fr gu he hi hr hu id it ja ka kn ko ml mr ms nl no pa pl pt ro ru sk sv ta te th tl tr uk vi zh'.split(
      ' ',
    ),
};
