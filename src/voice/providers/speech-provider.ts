import type { ProviderInfo, Stt, Tts, Voice } from '../speech-ports.ts';

/** What is known about a provider that is not connected. */
export type ProviderListing = Omit<ProviderInfo, 'automatic' | 'configured'>;

/** One entry of the registry. */
export interface SpeechProvider extends ProviderInfo {
  /** Null: not for this language. */
  stt?(language: string): Stt | null;
  tts?(language: string): Tts | null;
  voices?(): Promise<readonly Voice[]>;
  /** What it could do in addition, and the command that adds it. */
  missing?(): readonly MissingCapability[];
  close?(): Promise<void>;
}

export interface MissingCapability {
  readonly capability: string;
  readonly command: string;
}
