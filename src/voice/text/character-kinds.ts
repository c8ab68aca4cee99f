/** What a character means for the end of a sentence. */
const characters = {
  space: ' \t\v\f\u00a0\u3000',
  newline: '\n\r\u2028\u2029',
  /** Ends a sentence wherever it is. */
  mark: '。｡！？',
  /** Ends a sentence if a space or Japanese follows. */
  asciiMark: '!?',
  /** Ends a sentence unless it belongs to an abbreviation, a number or an address. */
  dot: '.．…‥',
  comma: '、､，；：',
  /** Separates only if a space follows: 1,000 and 10:30 stay whole. */
  asciiComma: ',;:',
  openQuote: '「『｢',
  closeQuote: '」』｣',
  /** Brackets and quotes that belong to the mark before them. */
  closer: ")]'’”）】］〉》〕",
  /** Opens and closes. */
  toggle: '"*',
  openBrace: '{',
};

export type CharacterKind = keyof typeof characters | 'plain';

const kinds: ReadonlyMap<number, CharacterKind> = new Map(
  Object.entries(characters).flatMap(([kind, list]) =>
    [...list].map((character) => [character.charCodeAt(0), kind as CharacterKind]),
  ),
);

export function kindOf(code: number): CharacterKind {
  // Most characters of a text are letters, kana or kanji.
  if ((code >= 0x61 && code <= 0x7a) || (code >= 0x3041 && code <= 0x9fff)) return 'plain';
  return kinds.get(code) ?? 'plain';
}

/** Continues the character before it: combining marks, joiners, variation selectors, skin tones. */
const extending = /^(?:\p{M}|[\u200c\uff9e\uff9f\u0e33\u0eb3]|\u200d|[\u{1f3fb}-\u{1f3ff}]|[\u{e0020}-\u{e007f}])/u;

/** The second half of a surrogate pair continues its first. */
export function isExtending(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code < 0x300) return false;
  return (code >= 0xdc00 && code <= 0xdfff) || extending.test(text.slice(index, index + 2));
}

export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** Scripts without spaces between sentences: kana, kanji and their punctuation. */
export function isEastAsian(code: number): boolean {
  return (code >= 0x3000 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff) || (code >= 0xff5f && code <= 0xffef);
}

export function isHiragana(code: number): boolean {
  return code >= 0x3041 && code <= 0x309f;
}
