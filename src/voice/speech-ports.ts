import type { TurnWord } from './ports.ts';

/** Speech in and out of a call. All audio is PCM16, mono; all times are those of the session's clock, in milliseconds. */

export type SpeechCapability = 'stt' | 'tts';

export interface SttOptions {
  /** BCP 47, as in the agent. */
  readonly language: string;
  /** Samples per second of what is written. */
  readonly rate: number;
  readonly keywords: readonly string[];
  readonly mode: 'fast' | 'accurate';
}

export interface SttEvents {
  /** The words since the last final. Replaces the partial before. `startMs`: where its audio starts, if that is known. */
  partial(text: string, startMs?: number): void;
  /**
   * A segment that will not change. Times of words count from the first sample written. `endMs`: where the segment ends,
   * if that is known; otherwise it is everything that was written.
   */
  final(text: string, words: readonly TurnWord[], endMs?: number): void;
  /**
   * The stream is over; nothing follows. `detail` is a sentence without secrets, such as `HTTP 429 of the recognizer`.
   * `isFinal`: another attempt will not help.
   */
  failed(detail: string, isFinal?: boolean): void;
}

export interface SttStream {
  write(samples: Int16Array): void;
  /** The caller has stopped: a final of everything so far is wanted, also if it is empty. */
  flush(): void;
  /** Called every few seconds while silence is not written: for vendors that close a quiet connection. */
  keepAlive?(): void;
  close(): void;
}

/** What a recognizer, a voice or a detector may have to load before its first use, such as a model. */
export interface Loadable {
  /** Resolves once it is loaded, also if that fails: the first use says why. Absent: there is nothing to load. */
  load?(): Promise<void>;
}

/** A recognizer. */
export interface Stt extends Loadable {
  readonly name: string;
  readonly hasPartials: boolean;
  /** How long a final may take after `flush`. */
  readonly waitMs: number;
  /** The options that it cannot honor as they are, for the call's `notApplied`. */
  notApplied?(options: SttOptions): readonly {
    readonly field: 'boostedKeywords' | 'sttMode';
    readonly reason: 'not_supported' | 'clamped';
  }[];
  open(options: SttOptions, events: SttEvents): SttStream;
}

export interface TtsOptions {
  readonly voiceId: string;
  readonly model: string | null;
  readonly speed: number;
  readonly emotion: string | null;
  readonly temperature: number | null;
  readonly language: string;
  /** Samples per second of what is wanted. */
  readonly rate: number;
}

export interface TtsEvents {
  audio(samples: Int16Array): void;
  /**
   * The first `characters` of all that was said are spoken at the end of the first `samples` of this stream. Optional:
   * voices that know where their words or sentences end report it, and for others it is estimated.
   */
  mark?(characters: number, samples: number): void;
  /** Everything that was said has been delivered as audio. */
  done(): void;
  /** The stream is over; nothing follows. */
  failed(detail: string): void;
}

/** One utterance. */
export interface TtsStream {
  say(text: string, isLast: boolean): void;
  /** Nothing is reported afterwards. */
  cancel(): void;
}

/** A voice provider. */
export interface Tts extends Loadable {
  readonly name: string;
  /** Whose account it is, so that its audio is kept for nobody else. Absent: that of the operator, or none. */
  readonly accountId?: string;
  /** The options that it cannot honor as they are, for the call's `notApplied`. */
  notApplied(options: TtsOptions): readonly {
    readonly field: 'voiceId' | 'voiceModel' | 'voiceSpeed' | 'voiceEmotion' | 'voiceTemperature';
    readonly reason: 'not_supported' | 'clamped';
    /** What it uses instead, if that has a name. */
    readonly used?: string;
  }[];
  /** No audio is no failure: the voice has no words for the text, such as one in another script. */
  readonly mayBeSilent?: boolean;
  open(options: TtsOptions, events: TtsEvents): TtsStream;
}

export interface DetectorEvents {
  /** How many samples before the end of the last write the sound began or ended. */
  start(samplesAgo: number): void;
  end(samplesAgo: number): void;
}

/** Finds speech in the caller's audio. */
export interface Detector extends Loadable {
  readonly name: string;
  open(rate: number, events: DetectorEvents): { write(samples: Int16Array): void; close(): void };
}

/** The way of the agent's audio to the caller, who plays it on a clock of their own and reports what was played. */
export interface AudioTransport {
  /** Samples per second. */
  readonly rate: number;
  /** Precedes the audio of an utterance. `position`: how many of its samples come before, if it goes on after `clear`. */
  speech(utterance: number, position: number): void;
  audio(utterance: number, samples: Int16Array): void;
  /** Absent on a transport that can only clear, such as a phone line: what was not played is then sent again. */
  readonly pause?: ((utterance: number) => void) | undefined;
  readonly resume?: ((utterance: number) => void) | undefined;
  clear(utterance: number): void;
}

export interface Voice {
  readonly provider: string;
  readonly voiceId: string;
  readonly name: string;
  readonly languages: readonly string[];
}

export interface ProviderInfo {
  readonly name: string;
  readonly configured: boolean;
  readonly capabilities: readonly ('stt' | 'tts' | 'llm')[];
  /** BCP 47 primary languages; empty: any. */
  readonly languages: readonly string[];
  /** Whether `auto` may choose it. */
  readonly automatic: boolean;
}

/** The speech providers that this process has. */
export interface SpeechProviders {
  /** Null: unknown, not configured, or (`auto`) nothing for the language. `auto` prefers configured ones over embedded. */
  stt(name: string, language: string): Stt | null;
  /** With `auto`: what recognizes the language if the recognizer of that name has failed. */
  sttAfter?(name: string, language: string): Stt | null;
  tts(name: string, language: string): Tts | null;
  /** With `auto`: what speaks the language if the provider of that name has failed. */
  ttsAfter?(name: string, language: string): Tts | null;
  /** Whether a provider of that name exists and is configured, whatever the language. */
  isConfigured(capability: SpeechCapability, name: string): boolean;
  detector(): Detector;
  list(): Promise<readonly ProviderInfo[]>;
  voices(provider: string | null, language: string | null): Promise<readonly Voice[]>;
  /** What is missing, and the command that adds it; empty if everything is there. For `/readyz` and the log. */
  missing(): readonly { readonly capability: string; readonly command: string }[];
  close(): Promise<void>;
}
