import { memo } from './memo.ts';

/**
 * Text in the form in which it is searched, and where each of its characters comes from. `plain` is NFKC in lower case,
 * `kana` also has katakana as hiragana. Both have the same length, so a place in one is a place in the other.
 */
export interface NormalizedText {
  readonly plain: string;
  readonly kana: string;
  /** Where in the original text the character at a place begins, and after the last place the length of the original. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * A character with the marks that belong to it, also the half-width voiced marks, which are letters for Unicode, and
 * invisible ones, which copied text has anywhere: between the digits of a phone number, for example. Putting thousands
 * of marks in order would take long, and no character has as many as 30.
 */
const character = /.[\p{M}\p{Cf}\uFF9E\uFF9F]{0,30}/suy;
/** Digits in boxes are emoji of a digit and these two. */
const invisible = /\p{Cf}|\uFE0F|\u20E3/gu;

/** Several parsers look at the same answer, with its fillers and without, and the runs of a simulation give the same. */
const remembered = memo(normalize);
const maxRemembered = 1100;

export function normalizeText(text: string): NormalizedText {
  return text.length <= maxRemembered ? remembered(text) : normalize(text);
}

/** One character at a time, because composing across characters would lose the places. */
function normalize(text: string): NormalizedText {
  const starts: number[] = [];
  const ends: number[] = [];
  let plain = '';
  for (let place = 0; place < text.length; ) {
    let piece = text[place] as string;
    let end = place + 1;
    if (isPlain(piece) && isPlain(text[end] ?? '')) {
      piece = piece.toLowerCase();
    } else {
      character.lastIndex = place;
      const whole = character.exec(text)?.[0] ?? piece;
      end = place + whole.length;
      piece = whole.replaceAll(invisible, '').normalize('NFKC').toLowerCase();
    }
    plain += piece;
    for (let count = 0; count < piece.length; count += 1) {
      starts.push(place);
      ends.push(end);
    }
    place = end;
  }
  return { plain, kana: toHiragana(plain), starts, ends };
}

/** ASCII, kana, kanji and Japanese punctuation, which NFKC leaves as they are, and no marks: nearly everything that is said. */
function isPlain(unit: string): boolean {
  if (unit < '\x80') return true;
  return (unit >= '\u3041' && unit <= '\u3096') || (unit >= '\u30a1' && unit <= '\u30fa') || isCommonKanji(unit);
}

function isCommonKanji(unit: string): boolean {
  return (unit >= '\u4e00' && unit <= '\u9fff') || unit === '。' || unit === '、' || unit === 'ー';
}

/** Katakana as hiragana, character by character. The long vowel sign stays: both scripts use it. */
export function toHiragana(text: string): string {
  return text.replace(/[\u30A1-\u30F6\u30FD\u30FE]/g, (katakana) => String.fromCharCode(katakana.charCodeAt(0) - 0x60));
}
