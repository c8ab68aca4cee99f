import { englishNames, japaneseNames, namesOf } from '../text/character-names.ts';
import { memo } from '../text/memo.ts';
import { normalizeText, toHiragana } from '../text/normalized.ts';
import { fillersOf, stripFillers } from './fillers.ts';

/** How other parts of an address are said in Japanese, in hiragana. */
const japaneseParts = {
  gmail: 'じーめーる',
  yahoo: 'やふー',
  hotmail: 'ほっとめーる',
  outlook: 'あうとるっく',
  icloud: 'あいくらうど',
  docomo: 'どこも',
  softbank: 'そふとばんく',
  example: 'えぐざんぷる',
  '.com': 'どっとこむ',
  com: 'こむ',
  net: 'ねっと',
};
const japanese = [...namesOf(japaneseParts), ...namesOf(japaneseNames)].sort(
  ([one], [other]) => other.length - one.length,
);
const english = new Map(namesOf(englishNames));

const introduction =
  /^.*(?:(?:アドレス|(?<![ァ-ヶー])メール|address|\b(?:e-?)?mail)\s*(?:は|が|is)?|\b(?:is|it's|its)\b)[\s、,:]+|^.*(?:アドレス|メール)(?:は|が)/;
const politeEnd =
  /(?:です|になります|でお願いします|お願いします|ですね|と申します|\s(?:please|thanks|thank you))?[\s。、.,!]*$/;
const address = /^[a-z0-9](?:[a-z0-9._+-]*[a-z0-9_+-])?@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}$/;

const emailFillers = memo((language) => fillersOf(language, (filler) => filler === 'えー' || filler === 'おー'));

/** An address that is written, spelled letter by letter, or said with アットマーク and "dot". */
export function understandEmail(words: string, language: string): string | undefined {
  // In katakana エー and オー are letters, in hiragana they are fillers.
  const answer = stripFillers(words.replace(/^(?:えー|おー)(?![ぁ-ん])/, ''), emailFillers(language));
  const plain = normalizeText(answer.replaceAll('’', "'")).plain.replace(politeEnd, '');
  const said = plain
    .replace(introduction, '')
    .replaceAll(/\bat ?mark\b|\bat sign\b/g, '@')
    .replaceAll(/\bunder ?score\b/g, 'underscore');
  const pieces = said
    .split(/[\s、,]+|(?<=[a-z0-9@._+-])(?=[ぁ-んァ-ヶー])|(?<=[ぁ-んァ-ヶー])(?=[a-z0-9@._+-])/)
    .filter((piece) => piece !== '');
  const texts = pieces.map(pieceOf);
  if (texts.includes(undefined) || areTwoWords(texts as string[])) return undefined;
  const found = texts.join('');
  return found.length <= 254 && address.test(found) && !/\.\.|\.@/.test(found) ? found : undefined;
}

function pieceOf(piece: string): string | undefined {
  if (!/[^\x21-\x7e]/.test(piece)) return english.get(piece) ?? (/^[a-z0-9@._+-]+$/.test(piece) ? piece : undefined);
  let rest = toHiragana(piece);
  let result = '';
  while (rest !== '') {
    const found = japanese.find(([reading]) => rest.startsWith(reading));
    if (found === undefined) return undefined;
    result += found[1];
    rest = rest.slice(found[0].length);
  }
  return result;
}

/** Two words next to each other could be one, or be joined by a dot, or not belong to the address at all. */
function areTwoWords(pieces: readonly string[]): boolean {
  return pieces.some((piece, index) => {
    const next = pieces[index + 1] ?? '';
    return /[a-z]{2,}[0-9]*$/.test(piece) && /^[a-z]{2,}/.test(next);
  });
}
