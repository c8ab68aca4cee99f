import type { JapaneseVoice } from '../japanese-files.ts';
import type { VoiceModel } from '../voice-folders.ts';

export interface SpeakingPrograms {
  /** Flite, for WASI. */
  readonly flite: string | null;
  readonly japanese: JapaneseVoice | null;
  /** The module that runs models. */
  readonly runtime: string | null;
  /** Voices that the operator has added. */
  readonly models: readonly VoiceModel[];
}

export interface SpeakingOptions {
  readonly program: 'flite' | 'open-jtalk' | 'model';
  /** A voice of Flite, an emotion of the Japanese voice, or the id of an added voice. */
  readonly variant: string;
  readonly gain: number;
  readonly speed: number;
  readonly rate: number;
}

export interface SpeakingMessage {
  readonly text: string;
  readonly isLast: boolean;
}

export type SpeakingEvent =
  | { readonly type: 'audio'; readonly samples: Int16Array<ArrayBuffer> }
  | { readonly type: 'done' };
