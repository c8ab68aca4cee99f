import type { ProviderInfo, SpeechCapability } from '../../speech-ports.ts';

/** All languages of the embedded speech. `Intl.DisplayNames` would take a twentieth of the time of a start. */
const languageNames: Readonly<Record<string, string>> = { en: 'English', ja: 'Japanese' };

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
  return [`${verb} ${languages.map((language) => languageNames[language] ?? language).join(' and ')}`];
}
