import { isJapanese } from './language.ts';

const japanese = {
  /** Said when a reply takes long. */
  waiting: '少々お待ちください。',
  /** Said when a reply failed. */
  fallback: '申し訳ありません。もう一度おっしゃっていただけますか。',
  /** Said when the caller is silent and the engine has no reminder of its own. */
  reminder: 'もしもし、聞こえていますか。',
  /** Said when a phone call goes on after an interruption of the service. */
  resumed: '失礼しました。続けます。',
};

const english: typeof japanese = {
  waiting: 'One moment, please.',
  fallback: 'Sorry, could you say that again?',
  reminder: 'Are you still there?',
  resumed: "Sorry about that. Let's continue.",
};

export function fixedPhrases(language: string): typeof japanese {
  return isJapanese(language) ? japanese : english;
}
