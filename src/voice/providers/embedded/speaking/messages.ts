import type { JapaneseVoice } from '../japanese-files.ts';

export interface SpeakingPrograms {
  /** Flite, for WASI. */
  readonly flite: string | null;
  readonly japanese: JapaneseVoice | null;
}

export interface SpeakingOptions {
  readonly program: 'flite' | 'open-jtalk';
  /** A voice of Flite, or an emotion of the Japanese voice. */
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
