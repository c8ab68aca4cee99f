interface DigitWords {
  /** What such a number can end with. Most words end here, without a closer look. */
  readonly lastCharacter: RegExp;
  readonly words: Readonly<Record<string, string>>;
  readonly pattern: RegExp;
  /** The digits at the end, with everything that is said between digits. The end of 1,000 or 10:30 is none. */
  readonly run: RegExp;
}

/** Katakana only: in hiragana, に and ご are other words. */
const japaneseDigits: DigitWords = {
  lastCharacter: /[0-9０-９〇零一二三四五六七八九ロイチニンゴクナウーコの、。()（）・‐－-]$/,
  words: {
    ...{ 〇: '0', 零: '0', 一: '1', 二: '2', 三: '3', 四: '4', 五: '5', 六: '6', 七: '7', 八: '8', 九: '9' },
    ...{ ゼロ: '0', レイ: '0', イチ: '1', ニ: '2', サン: '3', ヨン: '4', ゴ: '5', ロク: '6' },
    ...{ ナナ: '7', ハチ: '8', キュウ: '9', キュー: '9' },
  },
  pattern: /[〇零一二三四五六七八九ニゴ]|ゼロ|レイ|イチ|サン|ヨン|ロク|ナナ|ハチ|キュウ|キュー|[０-９]/g,
  run: /(?<![0-9.,:])\+?[0-9](?:[0-9]|[\s\u3000の、。()（）・‐－-]|ハイフン|カッコ)*$/,
};

const englishDigits: DigitWords = {
  lastCharacter: /[0-9eorxnth()-]$/,
  words: {
    ...{ zero: '0', oh: '0', o: '0', one: '1', two: '2', three: '3', four: '4' },
    ...{ five: '5', six: '6', seven: '7', eight: '8', nine: '9' },
  },
  pattern: /\b(?:zero|oh|o|one|two|three|four|five|six|seven|eight|nine)\b/g,
  run: /(?<![0-9.,:])(?:\+|double\s+)?[0-9](?:[0-9]|[\s()-]|[.,] |dash|hyphen|double|triple)*$/,
};

const separator = /[^0-9]+$/;

/**
 * For a number at the end of the words that is read out digit by digit: open until it has the digits of a phone number.
 * Everything else, such as 500 or 25, is an amount, and no hint follows from it.
 */
export function readOutNumberHint(text: string, language: 'ja' | 'en'): 'finished' | 'open' | undefined {
  const { lastCharacter, words, pattern, run } = language === 'ja' ? japaneseDigits : englishDigits;
  if (!lastCharacter.test(text)) return undefined;
  const withDigits = text.replace(pattern, (word) => words[word] ?? String(word.charCodeAt(0) - 0xff10));
  const found = run.exec(withDigits)?.[0];
  if (found === undefined) return undefined;
  const digits = found.replaceAll(/double\s+(\d)/g, '$1$1').replaceAll(/\D/g, '');
  if (found.startsWith('+')) return digits.length >= 11 ? 'finished' : 'open';
  return isReadOut(digits, found) ? phoneNumberHint(digits, language) : undefined;
}

/** Amounts and years have no leading zero and no pauses, and up to four digits. */
function isReadOut(digits: string, found: string): boolean {
  const endsWithSeparator = separator.test(found.trimEnd());
  if (digits.length < 2) return false;
  if (digits.startsWith('0')) return true;
  if (digits.length === 2) return endsWithSeparator;
  return digits.length > 4 || digits.length < found.length;
}

function phoneNumberHint(digits: string, language: 'ja' | 'en'): 'finished' | 'open' | undefined {
  const count = digits.length;
  // A postal code in Japan, a local number elsewhere; or the first half of a longer one.
  if (count === 7 && !digits.startsWith('0')) return undefined;
  const isMobile = language === 'ja' && /^0[5-9]0/.test(digits);
  const needed = isMobile || digits.startsWith('1') ? 11 : 10;
  if (count < needed) return 'open';
  if (count <= 11) return 'finished';
  // The digits of a payment card.
  return count < 16 ? 'open' : 'finished';
}
