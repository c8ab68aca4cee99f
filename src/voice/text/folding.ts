/** One form of words that sound the same: NFKC, lower case, and katakana as hiragana. */
export function foldWords(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[ァ-ヶ]/g, katakanaAsHiragana);
}

function katakanaAsHiragana(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) - 0x60);
}
