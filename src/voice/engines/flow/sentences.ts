import { isJapanese } from '../../text/language.ts';

/** What a flow says on its own, between the texts of its author. */
export type Sentences = typeof japanese;

const japanese = {
  /** Before a question that is asked again because its answer was not understood, by how often it was asked again. */
  notUnderstood: (attempt: number): string =>
    attempt === 1 ? '恐れ入ります、もう一度お願いいたします。' : '申し訳ございません、うまく聞き取れませんでした。',
  /** Before a question that is asked again because the caller said that the value is wrong. */
  wrongValue: () => '失礼いたしました。もう一度お願いいたします。',
  readBack: (value: string) => `${value}ですね。よろしいですか。`,
  /** To a caller who asks for a moment. */
  moment: 'はい、お待ちしております。',
  /** Where a model would reply and none is connected. */
  rehearsal: (words: string) => `「${words}」と聞こえました。言語モデルはまだ接続されていません。`,
  rehearsalOpening: '言語モデルはまだ接続されていません。お話しになった内容を繰り返します。',
  /** Between two texts of one reply. */
  separator: '',
};

const english: Sentences = {
  notUnderstood: (attempt) => (attempt === 1 ? 'Sorry, I didn’t catch that. ' : 'I’m sorry, let me ask once more. '),
  wrongValue: () => 'My apologies. Let me ask again. ',
  readBack: (value) => `${value}, is that right?`,
  moment: 'Of course, take your time.',
  rehearsal: (words) => `I heard: "${words}". No language model is connected yet.`,
  rehearsalOpening: 'No language model is connected yet. I will repeat what I hear.',
  separator: ' ',
};

/** Every language but Japanese uses English. */
export function sentencesOf(language: string): Sentences {
  return isJapanese(language) ? japanese : english;
}
