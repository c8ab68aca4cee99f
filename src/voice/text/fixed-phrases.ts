import { isJapanese } from './language.ts';

export interface FixedPhrases {
  /** Said when a reply takes long. */
  readonly waiting: string;
  /** Said when a reply failed. */
  readonly fallback: string;
  /** Said when the caller is silent and the engine has no reminder of its own. */
  readonly reminder: string;
  /** Said when a phone call goes on after an interruption of the service. */
  readonly resumed: string;
}

const japanese: FixedPhrases = {
  waiting: '少々お待ちください。',
  fallback: '申し訳ありません。もう一度おっしゃっていただけますか。',
  reminder: 'もしもし、聞こえていますか。',
  resumed: '失礼しました。続けます。',
};

const english: FixedPhrases = {
  waiting: 'One moment, please.',
  fallback: 'Sorry, could you say that again?',
  reminder: 'Are you still there?',
  resumed: "Sorry about that. Let's continue.",
};

export function fixedPhrases(language: string): FixedPhrases {
  return isJapanese(language) ? japanese : english;
}
