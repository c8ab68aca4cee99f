import { isJapanese } from './language.ts';

const japanese = {
  /** Said when a reply takes long. */
  waiting: '少々お待ちください。',
  /** Said when a reply failed. */
  fallback: '申し訳ありません。もう一度おっしゃっていただけますか。',
  /** Said when the caller is silent and the engine has no reminder of its own. */
  reminder: 'もしもし、聞こえていますか。',
};

const english: typeof japanese = {
  waiting: 'One moment, please.',
  fallback: 'Sorry, could you say that again?',
  reminder: 'Are you still there?',
};

export function fixedPhrases(language: string): typeof japanese {
  return isJapanese(language) ? japanese : english;
}
