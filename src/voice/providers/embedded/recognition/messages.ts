import type { JapaneseModel } from '../japanese-files.ts';
import type { EnglishModel } from '../packages.ts';

export interface RecognitionModels {
  /** The module that runs the models. */
  readonly runtime: string;
  readonly english: EnglishModel | null;
  readonly japanese: JapaneseModel | null;
}

export type RecognitionLanguage = 'en' | 'ja';

export interface RecognitionOptions {
  readonly language: RecognitionLanguage;
  readonly rate: number;
  readonly isAccurate: boolean;
}

export type RecognitionMessage =
  | { readonly type: 'audio'; readonly samples: Int16Array<ArrayBuffer>; readonly isLoud: boolean }
  /** A pause: a good place to end a long segment. */
  | { readonly type: 'pause' }
  | { readonly type: 'flush' };

export type RecognitionEvent =
  | { readonly type: 'partial'; readonly text: string }
  /** `isFlush`: the response to a flush, rather than the end of a long segment. */
  | { readonly type: 'final'; readonly text: string; readonly isFlush: boolean }
  | { readonly type: 'loaded' };
