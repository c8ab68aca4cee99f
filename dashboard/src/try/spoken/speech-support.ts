import type { Provider } from '../../../../sdk/src/index.ts';
import { chosenProviders } from '../../../../src/core/provider-choice.ts';

export interface SpeechSettings {
  readonly language: string;
  readonly sttProvider: string;
  readonly ttsProvider: string;
}

/** The same with the voice, for an agent that is there. */
export interface TriedSettings extends SpeechSettings {
  readonly voiceId: string;
}

/** What a call with an agent can do on this service, as far as it is known before. */
export interface SpeechSupport {
  readonly speechIn: boolean;
  readonly speechOut: boolean;
  /** Providers that the agent names and the service does not have: a call with them is refused. */
  readonly unknown: readonly string[];
}

/** `hasRecognition`: whether this browser recognizes speech. */
export function speechSupport(
  providers: readonly Provider[],
  { language, sttProvider, ttsProvider }: SpeechSettings,
  hasRecognition: boolean,
): SpeechSupport {
  const knows = (capability: 'stt' | 'tts', wanted: string) =>
    chosenProviders(providers, capability, wanted).some(
      ({ languages }) => languages.length === 0 || languages.map(primary).includes(primary(language)),
    );
  const isUnknown = (capability: 'stt' | 'tts', wanted: string) =>
    wanted !== 'auto' && chosenProviders(providers, capability, wanted).length === 0;
  return {
    speechIn: sttProvider === 'browser' ? hasRecognition : knows('stt', sttProvider),
    speechOut: knows('tts', ttsProvider),
    unknown: [
      ...(isUnknown('stt', sttProvider) ? [sttProvider] : []),
      ...(isUnknown('tts', ttsProvider) ? [ttsProvider] : []),
    ],
  };
}

/** The region makes no difference. */
export function primary(language: string): string {
  return (language.split('-')[0] ?? '').toLowerCase();
}
