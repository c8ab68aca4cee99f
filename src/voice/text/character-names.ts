/** How the characters of addresses and codes are said, in hiragana. The first name is the one that is spoken. */
export const japaneseNames: Readonly<Record<string, string>> = {
  a: 'えー えい',
  b: 'びー',
  c: 'しー',
  d: 'でぃー でー',
  e: 'いー',
  f: 'えふ',
  g: 'じー',
  h: 'えいち えっち',
  i: 'あい',
  j: 'じぇー じぇい',
  k: 'けー けい',
  l: 'える',
  m: 'えむ',
  n: 'えぬ',
  o: 'おー',
  p: 'ぴー',
  q: 'きゅー',
  r: 'あーる',
  s: 'えす',
  t: 'てぃー',
  u: 'ゆー',
  v: 'ぶい う゛ぃ ゔぃー',
  w: 'だぶりゅー だぶる',
  x: 'えっくす',
  y: 'わい',
  z: 'ぜっと ずぃー',
  0: 'ぜろ れい まる',
  1: 'いち',
  2: 'に にー',
  3: 'さん',
  4: 'よん し',
  5: 'ご ごー',
  6: 'ろく',
  7: 'なな しち',
  8: 'はち',
  9: 'きゅう く',
  '@': 'あっとまーく あっと',
  '.': 'どっと てん',
  '-': 'はいふん だっしゅ まいなす',
  _: 'あんだーばー あんだーすこあ あんだーらいん',
  '+': 'ぷらす',
};

export const englishNames: Readonly<Record<string, string>> = {
  '@': 'at',
  '.': 'dot point period',
  '-': 'dash hyphen minus',
  _: 'underscore',
  '+': 'plus',
  0: 'zero',
  1: 'one',
  2: 'two',
  3: 'three',
  4: 'four',
  5: 'five',
  6: 'six',
  7: 'seven',
  8: 'eight',
  9: 'nine',
};

/** The name that is spoken, in katakana if it is Japanese; undefined for characters without one. */
export function spokenName(character: string, inJapanese: boolean): string | undefined {
  const [name] = (inJapanese ? japaneseNames : englishNames)[character]?.split(' ') ?? [];
  return name?.replace(/[ぁ-ゔ]/g, (hiragana) => String.fromCharCode(hiragana.charCodeAt(0) + 0x60));
}

/** Each name with the character that it means. */
export function namesOf(names: Readonly<Record<string, string>>): (readonly [name: string, character: string])[] {
  return Object.entries(names).flatMap(([character, list]) =>
    list.split(' ').map((name) => [name, character] as const),
  );
}
