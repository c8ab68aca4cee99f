import type { Random } from '../random.ts';
import { type Secret, secretOf } from '../secrets/search.ts';

/** Personal data in a sentence, in Japanese or English, written or spoken. */
export interface Plant {
  readonly sentence: string;
  readonly secret: Secret;
}

const kanji = [...'〇一二三四五六七八九'];
const kana = ['ゼロ', 'いち', 'に', 'さん', 'よん', 'ご', 'ろく', 'なな', 'はち', 'きゅう'];
const english = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

type Maker = (random: Random) => readonly [value: string, sentence: (value: string) => string];

const phoneIn = (value: string) => `電話番号は${value}です。`;
const numberIn = (value: string) => `My number is ${value}.`;
const cardIn = (value: string) => `カードは${value}です。`;

/** Everything that `everything_except_pii` promises to find. */
const makers: Readonly<Record<string, Maker>> = {
  'a phone number in Japanese': (random) => [`090-${digits(random, 4)}-${digits(random, 4)}`, phoneIn],
  'a phone number in full width': (random) => [wide(`080-${digits(random, 4)}-${digits(random, 4)}`), phoneIn],
  'an international number': (random) => [`+8190${digits(random, 8)}`, numberIn],
  'a phone number spoken in Japanese': (random) => [spoken(`090${digits(random, 8)}`, kana), phoneIn],
  'a phone number spoken in English': (random) => [spoken(`080${digits(random, 8)}`, english, ' '), numberIn],
  'an email address': (random) => [`guest${digits(random, 8)}@example.com`, (value) => `Write to ${value}, please.`],
  'a card number': (random) => [cardNumber(random).replaceAll(/(.{4})(?!$)/g, '$1 '), cardIn],
  'a card number spoken in Japanese': (random) => [spoken(cardNumber(random), kanji), cardIn],
  'a card number spoken in English': (random) => [
    spoken(cardNumber(random), english, ' '),
    (value) => `It is ${value}.`,
  ],
  'an individual number': (random) => [myNumber(random), (value) => `マイナンバーは${value}です。`],
  'an individual number spoken': (random) => [spoken(myNumber(random), kanji), (value) => `番号は${value}です。`],
  'an address of a computer': (random) => [
    // Long enough that no two calls get the same: one of them may be stored in full.
    Array.from({ length: 4 }, () => `1${digits(random, 2)}`).join('.'),
    (value) => `from ${value} now`,
  ],
};

export const plantNames = Object.keys(makers);

export function plantOf(name: string, random: Random): Plant {
  const [value, sentence] = (makers[name] as Maker)(random);
  return { sentence: sentence(value), secret: wholeSecret(name, value) };
}

/** Text that is no personal data, but must not be stored with basic_attributes_only. */
export function plainPlant(random: Random): Plant {
  const value = `word${digits(random, 12)}`;
  return { sentence: `It is about ${value}.`, secret: wholeSecret('an ordinary text', value) };
}

/** Only as a whole: a part of a phone number is in many other numbers. */
function wholeSecret(name: string, value: string): Secret {
  const { text, forms } = secretOf(name, value);
  return { name, text, forms: new Map([...forms].filter(([form]) => !form.startsWith('by its'))) };
}

function digits(random: Random, count: number, least = 0): string {
  return Array.from({ length: count }, (_, place) => random.int(place === 0 ? least : 0, 9)).join('');
}

function spoken(value: string, words: readonly string[], between = ''): string {
  return [...value].map((digit) => words[Number(digit)]).join(between);
}

function wide(value: string): string {
  return value.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
}

/** Sixteen digits that pass the Luhn check. */
function cardNumber(random: Random): string {
  const first = `4${digits(random, 14)}`;
  const sum = [...first].reduce((total, digit, place) => {
    const doubled = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${first}${(10 - (sum % 10)) % 10}`;
}

/** Twelve digits with the check digit of Japanese individual numbers. */
function myNumber(random: Random): string {
  const first = digits(random, 11, 1);
  const sum = [...first]
    .reverse()
    .reduce((total, digit, place) => total + Number(digit) * (place < 6 ? place + 2 : place - 4), 0);
  const rest = sum % 11;
  return `${first}${rest <= 1 ? 0 : 11 - rest}`;
}
