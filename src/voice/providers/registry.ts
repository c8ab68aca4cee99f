import type { SpeechCapability, SpeechProviders } from '../speech-ports.ts';
import { primaryLanguage } from '../text/language.ts';
import { browserProvider } from './browser.ts';
import { createEmbeddedSpeech, type EmbeddedSpeechOptions } from './embedded/provider.ts';
import type { SpeechProvider } from './speech-provider.ts';
import { testProvider } from './test/provider.ts';

export interface SpeechOptions extends EmbeddedSpeechOptions {
  /** Providers besides the embedded one and the browser. `auto` prefers them, in this order. */
  readonly others?: readonly SpeechProvider[];
}

export function createSpeechProviders({ others = [], ...options }: SpeechOptions): SpeechProviders {
  const embedded = createEmbeddedSpeech(options);
  const providers: readonly SpeechProvider[] = [...others, embedded.provider, browserProvider, testProvider];
  const isUsable = ({ configured, capabilities }: SpeechProvider, capability: SpeechCapability): boolean =>
    configured && capabilities.includes(capability);
  const find = <Found>(
    capability: SpeechCapability,
    name: string,
    get: (provider: SpeechProvider) => Found | null | undefined,
  ): Found | null => {
    const fitting = providers.filter((provider) => (name === 'auto' ? provider.isAutomatic : provider.name === name));
    for (const provider of fitting.filter((one) => isUsable(one, capability))) {
      const found = get(provider);
      if (found !== null && found !== undefined) return found;
    }
    return null;
  };
  return {
    stt: (name, language) => find('stt', name, (provider) => provider.stt?.(language)),
    tts: (name, language) => find('tts', name, (provider) => provider.tts?.(language)),
    isConfigured: (capability, name) =>
      providers.some((provider) => provider.name === name && isUsable(provider, capability)),
    detector: () => embedded.detector,
    list: async () =>
      providers.map(({ name, configured, capabilities, languages }) => ({ name, configured, capabilities, languages })),
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
