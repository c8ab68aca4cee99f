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

/** A character with the marks that belong to it, also the half-width voiced marks, which are letters for Unicode. */
const character = /.[\p{M}\uFF9E\uFF9F]*/gsu;

/** One character at a time, because composing across characters would lose the places. */
export function normalizeText(text: string): NormalizedText {
  const starts: number[] = [];
  const ends: number[] = [];
  let plain = '';
  for (const match of text.matchAll(character)) {
    const from = match[0];
    const piece = from.length === 1 && from < '\x80' ? from.toLowerCase() : from.normalize('NFKC').toLowerCase();
    plain += piece;
    for (let place = 0; place < piece.length; place += 1) {
      starts.push(match.index);
      ends.push(match.index + from.length);
    }
  }
  return { plain, kana: toHiragana(plain), starts, ends };
}

/** Katakana as hiragana, character by character. The long vowel sign stays: both scripts use it. */
export function toHiragana(text: string): string {
  return text.replace(/[\u30A1-\u30F6\u30FD\u30FE]/g, (katakana) => String.fromCharCode(katakana.charCodeAt(0) - 0x60));
}

export function isJapanese(language: string): boolean {
  return /^ja(?:-|$)/i.test(language);
}
