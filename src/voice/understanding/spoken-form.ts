import { isJapanese } from '../text/language.ts';
import { phoneLibrary } from '../text/phone-library.ts';
import type { AnswerKind, AnswerValue } from './answer.ts';

/** A value as it is said: a date without its year, a time with its part of the day, a phone number in groups. */
export function spokenForm(
  value: AnswerValue,
  as: AnswerKind,
  language: string,
  { characterByCharacter = false }: { readonly characterByCharacter?: boolean } = {},
): string {
  const inJapanese = isJapanese(language);
  const text = String(value);
  if (as === 'yes_no') return inJapanese ? (value === true ? 'はい' : 'いいえ') : value === true ? 'yes' : 'no';
  if (as === 'date') return spokenDate(text, inJapanese);
  if (as === 'time') return spokenTime(text, inJapanese);
  const written = as === 'phone' ? groupedPhone(text) : text;
  const isSpelled = as === 'digits' || as === 'phone' || as === 'email' || as === 'postal_code';
  if (characterByCharacter && isSpelled) return spelled(written, inJapanese);
  return as === 'email' ? spokenEmail(written, inJapanese) : written;
}

const months = 'January February March April May June July August September October November December'.split(' ');

function spokenDate(date: string, inJapanese: boolean): string {
  const [, month, day] = (/^\d{4}-(\d{2})-(\d{2})$/.exec(date) ?? []).map(Number);
  if (month === undefined || day === undefined) return date;
  return inJapanese ? `${month}月${day}日` : `${months[month - 1] ?? month} ${day}${ordinalEnding(day)}`;
}

function ordinalEnding(day: number): string {
  if (day >= 11 && day <= 13) return 'th';
  return { 1: 'st', 2: 'nd', 3: 'rd' }[day % 10] ?? 'th';
}

function spokenTime(time: string, inJapanese: boolean): string {
  const [, hour, minute] = (/^(\d{2}):(\d{2})$/.exec(time) ?? []).map(Number);
  if (hour === undefined || minute === undefined) return time;
  if (hour === 12 && minute === 0) return inJapanese ? '正午' : 'noon';
  if (inJapanese) return `${hour < 12 ? '午前' : '午後'}${hour % 12}時${minute === 0 ? '' : `${minute}分`}`;
  if (hour === 0 && minute === 0) return 'midnight';
  const minutes = minute === 0 ? '' : `:${String(minute).padStart(2, '0')}`;
  return `${hour % 12 === 0 ? 12 : hour % 12}${minutes} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** Japanese numbers as they are said in Japan, others with their country. */
function groupedPhone(number: string): string {
  const parsed = phoneLibrary().parsePhoneNumberFromString(number);
  if (parsed === undefined) return number;
  return parsed.country === 'JP' ? parsed.formatNational() : parsed.formatInternational();
}

function spokenEmail(address: string, inJapanese: boolean): string {
  const [at, dot] = inJapanese ? [' アットマーク ', ' ドット '] : [' at ', ' dot '];
  return address.replace('@', at).replaceAll('.', dot);
}

const japaneseNames: Readonly<Record<string, string>> = {
  '0': 'ゼロ',
  '1': 'イチ',
  '2': 'ニ',
  '3': 'サン',
  '4': 'ヨン',
  '5': 'ゴ',
  '6': 'ロク',
  '7': 'ナナ',
  '8': 'ハチ',
  '9': 'キュウ',
  a: 'エー',
  b: 'ビー',
  c: 'シー',
  d: 'ディー',
  e: 'イー',
  f: 'エフ',
  g: 'ジー',
  h: 'エイチ',
  i: 'アイ',
  j: 'ジェー',
  k: 'ケー',
  l: 'エル',
  m: 'エム',
  n: 'エヌ',
  o: 'オー',
  p: 'ピー',
  q: 'キュー',
  r: 'アール',
  s: 'エス',
  t: 'ティー',
  u: 'ユー',
  v: 'ブイ',
  w: 'ダブリュー',
  x: 'エックス',
  y: 'ワイ',
  z: 'ゼット',
  '@': 'アットマーク',
  '.': 'ドット',
  '-': 'ハイフン',
  _: 'アンダーバー',
  '+': 'プラス',
};
const englishNames: Readonly<Record<string, string>> = {
  '0': 'zero',
  '1': 'one',
  '2': 'two',
  '3': 'three',
  '4': 'four',
  '5': 'five',
  '6': 'six',
  '7': 'seven',
  '8': 'eight',
  '9': 'nine',
  '@': 'at',
  '.': 'dot',
  '-': 'dash',
  _: 'underscore',
  '+': 'plus',
};

/** Each character by its name. In a number, the dash is read の in Japan. */
function spelled(text: string, inJapanese: boolean): string {
  const isNumber = /^[\d\s+()-]+$/.test(text);
  const characters = [...text.toLowerCase()].filter((character) => !/[\s()]/.test(character));
  if (!inJapanese) return characters.map((character) => englishNames[character] ?? character).join(', ');
  return characters
    .map((character) => (isNumber && character === '-' ? 'の' : (japaneseNames[character] ?? character)))
    .join('、');
}
