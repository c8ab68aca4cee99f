import { fixedPhrases } from '../text/fixed-phrases.ts';
import { isJapanese } from '../text/language.ts';
import type { Engine } from './engine.ts';
import { createSimpleEngine } from './simple-engine.ts';

/** Replies while no language model is connected: repeats what it heard and says so. It never pretends. */
export function createRehearsalEngine({ language, state }: { language: string; state?: unknown }): Engine {
  return createSimpleEngine(({ kind, words }, output) => {
    if (kind === 'reminder') output.text(fixedPhrases(language).reminder);
    else output.text(kind === 'begin' ? rehearsalOpening(language) : rehearsalReply(words, language));
    output.end();
    return { next: 0 };
  }, state);
}

export function rehearsalOpening(language: string): string {
  return isJapanese(language)
    ? '言語モデルはまだ接続されていません。お話しになった内容を繰り返します。'
    : 'No language model is connected yet. I will repeat what I hear.';
}

export function rehearsalReply(words: string, language: string): string {
  return isJapanese(language)
    ? `「${words}」と聞こえました。言語モデルはまだ接続されていません。`
    : `I heard: "${words}". No language model is connected yet.`;
}
