import { foldWords } from '../text/folding.ts';

/** Scripts that are written without spaces: a word may begin and end anywhere in them. */
const withoutSpaces =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々〇';
const spaceBesideScript = new RegExp(`(?<=[${withoutSpaces}]) | (?=[${withoutSpaces}])`, 'gu');
const wordCharacter = new RegExp(`^(?![${withoutSpaces}])[\\p{L}\\p{N}\\p{M}]$`, 'u');

const punctuation = /[\s’ʼ.,、。!?…:;"“”「」『』()]/;

/**
 * Folded words without punctuation, in which a phrase is searched: "Say, again." contains "say again". A point or comma
 * inside a number stays. Spaces count only where words are separated by them.
 */
export function searchable(text: string): string {
  const folded = foldWords(text);
  // Most answers are a few words without a pause.
  if (!punctuation.test(folded)) return folded;
  return folded
    .replaceAll(/[’ʼ]/g, "'")
    .replaceAll(/(?<!\d)[.,]|[.,](?!\d)|[、。!?…:;"“”「」『』()]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(spaceBesideScript, '')
    .trim();
}

/** Whether a word could continue from one character to the next, so that a phrase must not end between them. */
export function isInsideWord(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  return wordCharacter.test(before) && wordCharacter.test(after);
}
