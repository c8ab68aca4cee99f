import { fold } from '../../core/folding.ts';
import { toHiragana } from './normalized.ts';

/** Like names in search (width, case and composition do not matter), and hiragana with katakana. */
export function foldWords(text: string): string {
  return toHiragana(fold(text));
}
