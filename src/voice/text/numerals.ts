/** Numbers in words: 三千五百, さんぜんごひゃく, three thousand five hundred. Digits read one by one are elsewhere. */

const kanjiDigits = new Map([...'〇零一二三四五六七八九'].map((digit, index) => [digit, Math.max(0, index - 1)]));
const kanjiUnits = new Map([
  ['十', 10],
  ['百', 100],
  ['千', 1000],
]);
const kanjiMyriads = new Map([
  ['万', 1e4],
  ['億', 1e8],
  ['兆', 1e12],
]);

/** A run of characters that can be a Japanese number; `japaneseNumber` decides whether it is one. */
export const japaneseNumberRun =
  /(?:\d[\d,]*(?:\.\d+)?|[〇零一二三四五六七八九十百千万億兆])+(?:点[〇零一二三四五六七八九]+)?/gu;

/** The value of a whole text in digits, kanji or both, such as 3500, 三千五百, 1万2千, 二〇二六 or 三点五. */
export function japaneseNumber(text: string): number | undefined {
  const [whole, fraction] = text.split('点');
  if (whole === undefined || whole === '' || text.split('点').length > 2) return undefined;
  const value = wholeNumber(whole);
  if (value === undefined || fraction === undefined) return value;
  const digits = [...fraction].map((digit) => kanjiDigits.get(digit));
  return digits.includes(undefined) || digits.length === 0 ? undefined : Number(`${value}.${digits.join('')}`);
}

function wholeNumber(text: string): number | undefined {
  if (/^[\d,.]+$/.test(text)) return plainNumber(text);
  if (/^[〇零一二三四五六七八九]+$/.test(text)) return positional(text);
  let total = 0;
  let belowMyriad = 0;
  let lastMyriad = Infinity;
  let lastUnit = Infinity;
  let pending: number | undefined;
  for (const [part] of text.matchAll(/\d[\d,]*(?:\.\d+)?|./gsu)) {
    const digit = kanjiDigits.get(part) ?? (/^\d/.test(part) ? plainNumber(part) : undefined);
    const unit = kanjiUnits.get(part);
    const myriad = kanjiMyriads.get(part);
    if (digit !== undefined) {
      if (pending !== undefined) return undefined;
      pending = digit;
    } else if (unit !== undefined) {
      if (unit >= lastUnit || pending === 0 || (pending ?? 1) > 9) return undefined;
      belowMyriad += (pending ?? 1) * unit;
      lastUnit = unit;
      pending = undefined;
    } else if (myriad !== undefined) {
      const amount = belowMyriad + (pending ?? 0);
      if (myriad >= lastMyriad || amount === 0) return undefined;
      total += amount * myriad;
      lastMyriad = myriad;
      lastUnit = Infinity;
      belowMyriad = 0;
      pending = undefined;
    } else {
      return undefined;
    }
  }
  // A remainder must be smaller than the last unit: 三百25 is 325, and 三十25 is nothing.
  if (pending !== undefined && pending >= Math.min(lastUnit, lastMyriad)) return undefined;
  return total + belowMyriad + (pending ?? 0);
}

/** 1234, 1,234 and 12.5. A comma that does not separate thousands makes it two numbers. */
function plainNumber(text: string): number | undefined {
  if (!/^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/.test(text)) return undefined;
  const value = Number(text.replaceAll(',', ''));
  return Number.isSafeInteger(Math.trunc(value)) ? value : undefined;
}

/** 二〇二六. Two digits that follow each other are an estimate: 二三人 are two or three people. */
function positional(text: string): number | undefined {
  const digits = [...text].map((digit) => kanjiDigits.get(digit) as number);
  if (digits.length === 2 && digits[1] === (digits[0] as number) + 1) return undefined;
  const value = Number(digits.join(''));
  return Number.isSafeInteger(value) ? value : undefined;
}

/** The readings of each digit and unit, also those before another one. */
const readingsOfKanji = {
  〇: 'ぜろ れい',
  一: 'いち いっ',
  二: 'に',
  三: 'さん',
  四: 'よん よ し',
  五: 'ご',
  六: 'ろく ろっ',
  七: 'なな しち',
  八: 'はち はっ',
  九: 'きゅう く',
  十: 'じゅう じゅっ じっ',
  百: 'ひゃく びゃく ぴゃく',
  千: 'せん ぜん',
  万: 'まん',
  億: 'おく',
  兆: 'ちょう',
};
const kanjiOfKana = new Map(
  Object.entries(readingsOfKanji).flatMap(([kanji, list]) =>
    list.split(' ').map((reading) => [reading, kanji] as const),
  ),
);
const kanaReadings = [...kanjiOfKana.keys()].sort((one, other) => other.length - one.length).join('|');

/** A regular expression for a number in hiragana, to be followed by a counter: so much kana means something else. */
export const kanaNumberSource = `(?:${kanaReadings})+`;

const wholeKanaNumber = new RegExp(`^${kanaNumberSource}$`);
const kanaReading = new RegExp(kanaReadings, 'g');

/** さんじゅうご as 三十五, if the whole text is a number in hiragana. */
export function kanjiOfKanaNumber(text: string): string | undefined {
  if (!wholeKanaNumber.test(text)) return undefined;
  return text.replace(kanaReading, (reading) => kanjiOfKana.get(reading) as string);
}

const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const englishOnes = new Map(ones.split(' ').map((word, value) => [word, value]));
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety';
const englishTens = new Map(tens.split(' ').map((word, index) => [word, (index + 2) * 10]));
const englishScales = new Map([
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
]);

export function isEnglishNumberWord(word: string): boolean {
  return englishOnes.has(word) || englishTens.has(word) || englishScales.has(word) || word === 'hundred';
}

/** The value of number words such as `two hundred and five`; nothing if they are two numbers next to each other. */
export function englishNumber(words: readonly string[]): number | undefined {
  const point = words.indexOf('point');
  if (point !== -1) return decimal(words.slice(0, point), words.slice(point + 1));
  let total = 0;
  let lastScale = Infinity;
  let group: string[] = [];
  for (const word of words.filter((each) => each !== 'and')) {
    const scale = englishScales.get(word);
    if (scale === undefined) {
      group.push(word);
    } else {
      const value = belowThousand(group);
      if (value === undefined || value === 0 || scale >= lastScale) return undefined;
      total += value * scale;
      lastScale = scale;
      group = [];
    }
  }
  if (group.length === 0) return lastScale === Infinity ? undefined : total;
  const rest = belowThousand(group);
  return rest === undefined || (lastScale !== Infinity && rest === 0) ? undefined : total + rest;
}

function decimal(whole: readonly string[], fraction: readonly string[]): number | undefined {
  const value = englishNumber(whole);
  const digits = fraction.map((word) => (/^\d+$/.test(word) ? word : englishOnes.get(word)));
  if (value === undefined || digits.length === 0) return undefined;
  return digits.every((digit) => digit !== undefined && String(digit).length === 1)
    ? Number(`${value}.${digits.join('')}`)
    : undefined;
}

function belowThousand(words: readonly string[]): number | undefined {
  const hundred = words.indexOf('hundred');
  if (hundred === -1) return belowHundred(words);
  const before = words.slice(0, hundred);
  const count = before.length === 1 && before[0] === 'a' ? 1 : belowHundred(before);
  const after = words.slice(hundred + 1);
  const rest = after.length === 0 ? 0 : belowHundred(after);
  // `twelve hundred` is 1200, and `a hundred zero` nothing.
  if (count === undefined || count === 0 || rest === undefined || (after.length > 0 && rest === 0)) return undefined;
  return count * 100 + rest;
}

function belowHundred(words: readonly string[]): number | undefined {
  const [first = '', second] = words;
  if (words.length === 1) {
    if (/^\d+$/.test(first)) return plainNumber(first);
    return first === 'a' ? 1 : (englishOnes.get(first) ?? englishTens.get(first));
  }
  const ten = englishTens.get(first);
  const one = second === undefined ? undefined : englishOnes.get(second);
  return words.length === 2 && ten !== undefined && one !== undefined && one > 0 && one < 10 ? ten + one : undefined;
}

export const englishMonths =
  'January February March April May June July August September October November December'.split(' ');

/** 1st, 2nd, 23rd. */
export function englishOrdinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13;
  return `${number}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')}`;
}
