import type { ProviderInfo, SpeechCapability } from '../../speech-ports.ts';

/** What the embedded speech can do, in words for the log. */
export function embeddedSpeechText(providers: readonly ProviderInfo[]): string {
  const embedded = providers.filter(({ name, configured }) => name === 'embedded' && configured);
  const languagesOf = (capability: SpeechCapability): string[] =>
    embedded.flatMap(({ capabilities, languages }) => (capabilities.includes(capability) ? languages : []));
  const parts = [...described('recognizes', languagesOf('stt')), ...described('speaks', languagesOf('tts'))];
  return `embedded speech ${parts.length === 0 ? 'is not installed' : parts.join(' and ')}`;
}

function described(verb: string, languages: readonly string[]): string[] {
  if (languages.length === 0) return [];
  const names = new Intl.DisplayNames('en', { type: 'language' });
  return [`${verb} ${languages.map((language) => names.of(language)).join(' and ')}`];
}
