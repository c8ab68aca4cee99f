import { inBothLanguages } from '../language/texts.ts';

export const speechTexts = inBothLanguages(
  {
    play: 'Play',
    playVoice: (voice: string) => `Play the voice ${voice}`,
    stop: 'Stop',
    loading: 'Preparing the voice…',
    failed: 'The provider could not generate speech. Check its key, or try again.',
    noVoice: 'The provider has no voice for this language.',
    tooMany: 'Too many previews. Wait a minute.',
    replaced: (wanted: string, used: string) => `This service has no voice ${wanted}: ${used} is used instead.`,
    chooseVoice: 'Choose a voice',
  },
  {
    play: '再生',
    playVoice: (voice) => `音声「${voice}」を再生`,
    stop: '停止',
    loading: '音声を準備しています…',
    failed: 'プロバイダーが音声を生成できませんでした。キーを確認するか、もう一度お試しください。',
    noVoice: 'この言語の音声がありません。',
    tooMany: '再生の回数が上限に達しました。1分後にもう一度お試しください。',
    replaced: (wanted, used) => `音声「${wanted}」はこのサービスにないため、代わりに「${used}」を使います。`,
    chooseVoice: '音声を選ぶ',
  },
);

/** What a voice says to be heard. */
export function sampleText(language: string): string {
  return /^ja\b/i.test(language)
    ? 'お電話ありがとうございます。ご用件をお伺いします。'
    : 'Thank you for calling. How can I help you?';
}
