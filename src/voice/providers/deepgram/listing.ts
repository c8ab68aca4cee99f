import type { ProviderListing } from '../speech-provider.ts';

/**
 * The languages of the models, of https://developers.deepgram.com/docs/models-languages-overview as of November 2026.
 * Tags that differ from their primary language by the region are listed where the region matters.
 */
const nova3 =
  'be bg bn bs ca cs da da-DK de de-CH el en en-AU en-GB en-IN en-NZ en-US es es-419 et fi fr fr-CA hi hr hu id it ja kn ko ko-KR lt lv mk mr ms nl nl-BE no pl pt pt-BR pt-PT ro ru sk sl sr sv sv-SE ta te th th-TH tl tr uk vi zh zh-CN zh-Hans zh-Hant zh-HK zh-TW';

const tags = new Map(nova3.split(' ').map((tag) => [tag.toLowerCase(), tag]));

/** Primary languages, for the list of providers. */
const deepgramLanguages: readonly string[] = [...new Set([...tags.values()].map((tag) => tag.split('-')[0] ?? tag))];

/** The tag to ask for, or null if there is no model for the language. */
export function deepgramLanguage(language: string): string | null {
  const wanted = language.replaceAll('_', '-').toLowerCase();
  return tags.get(wanted) ?? tags.get(wanted.split('-')[0] ?? '') ?? null;
}

/** Deepgram recognizes speech. */
export const deepgram: ProviderListing = {
  name: 'deepgram',
  capabilities: ['stt'],
  languages: deepgramLanguages,
};
