import { chosenProviders } from '../../core/provider-choice.ts';
import type { Detector, ProviderInfo, SpeechCapability, SpeechProviders } from '../speech-ports.ts';
import { primaryLanguage } from '../text/language.ts';
import { browserProvider } from './browser.ts';
import { createEmbeddedSpeech, type EmbeddedSpeechOptions } from './embedded/provider.ts';
import type { SpeechProvider } from './speech-provider.ts';
import { testProvider } from './test/test-speech.ts';

export interface SpeechOptions extends EmbeddedSpeechOptions {
  /** Providers besides the embedded one and the browser. `auto` prefers them, in this order. */
  readonly others?: readonly SpeechProvider[];
}

/** The providers of a process, of which there are variants with other accounts. */
export interface SpeechRegistry extends SpeechProviders {
  /**
   * The same with these in place of the providers with their names; those that have none there come first. It closes
   * nothing: what is shared is closed once, and what is given by the caller.
   */
  replacing(others: readonly SpeechProvider[]): SpeechProviders;
}

export function createSpeechProviders({ others = [], ...options }: SpeechOptions): SpeechRegistry {
  const embedded = createEmbeddedSpeech(options);
  const providers: readonly SpeechProvider[] = [...others, embedded.provider, browserProvider, testProvider];
  return {
    ...speechOf(providers, embedded.detector),
    replacing: (given) => ({
      ...speechOf(replaced(providers, given), embedded.detector),
      close: async () => {},
    }),
  };
}

function replaced(providers: readonly SpeechProvider[], given: readonly SpeechProvider[]): readonly SpeechProvider[] {
  const added = given.filter(({ name }) => providers.every((known) => known.name !== name));
  return [...added, ...providers.map((known) => given.find(({ name }) => name === known.name) ?? known)];
}

function speechOf(providers: readonly SpeechProvider[], detector: Detector): SpeechProviders {
  const findAll = <Found>(
    capability: SpeechCapability,
    name: string,
    get: (provider: SpeechProvider) => Found | null | undefined,
  ): readonly Found[] => chosenProviders(providers, capability, name).flatMap((provider) => get(provider) ?? []);
  const after = <Found extends { readonly name: string }>(automatic: readonly Found[], name: string): Found | null =>
    automatic[automatic.findIndex((one) => one.name === name) + 1] ?? null;
  const voicesFor = (name: string, language: string) => findAll('tts', name, (provider) => provider.tts?.(language));
  const recognizers = (name: string, language: string) => findAll('stt', name, (provider) => provider.stt?.(language));
  return {
    stt: (name, language) => recognizers(name, language)[0] ?? null,
    sttAfter: (name, language) => after(recognizers('auto', language), name),
    tts: (name, language) => voicesFor(name, language)[0] ?? null,
    ttsAfter: (name, language) => after(voicesFor('auto', language), name),
    isConfigured: (capability, name) => name !== 'auto' && chosenProviders(providers, capability, name).length > 0,
    detector: () => detector,
    list: async () => providers.flatMap(infoOf),
    async voices(provider, language) {
      const asked = providers.filter(({ name, configured }) => configured && (provider === null || name === provider));
      const voices = (await Promise.all(asked.map((one) => one.voices?.() ?? []))).flat();
      if (language === null) return voices;
      const wanted = primaryLanguage(language);
      // A voice without languages speaks any.
      return voices.filter(
        ({ languages }) => languages.length === 0 || languages.map(primaryLanguage).includes(wanted),
      );
    },
    missing: () => providers.flatMap((provider) => provider.missing?.() ?? []),
    close: async () => {
      await Promise.all(providers.map((provider) => provider.close?.()));
    },
  };
}

/** One entry, or one for each capability if it hears other languages than it speaks. */
function infoOf({ name, configured, capabilities, languages, automatic, stt, tts }: SpeechProvider): ProviderInfo[] {
  const finders = { stt, tts, llm: undefined };
  const byCapability = capabilities.map((capability) => {
    const find = finders[capability];
    const known = find === undefined ? languages : languages.filter((language) => find(language) !== null);
    return { name, configured, capabilities: [capability], languages: known, automatic };
  });
  const areSame = new Set(byCapability.map((info) => info.languages.join(' '))).size <= 1;
  return areSame ? [{ name, configured, capabilities, languages, automatic }] : byCapability;
}
