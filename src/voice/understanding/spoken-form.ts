import { spokenName } from '../text/character-names.ts';
import { isJapanese } from '../text/language.ts';
import { englishMonths, englishOrdinal } from '../text/numerals.ts';
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
  if (as !== 'email') return written;
  return written.replaceAll(/[@.]/g, (sign) => ` ${spokenName(sign, inJapanese)} `);
}

function spokenDate(date: string, inJapanese: boolean): string {
  const [, month, day] = (/^\d{4}-(\d{2})-(\d{2})$/.exec(date) ?? []).map(Number);
  if (month === undefined || day === undefined) return date;
  return inJapanese ? `${month}月${day}日` : `${englishMonths[month - 1] ?? month} ${englishOrdinal(day)}`;
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

/** Each character by its name. In a number, the dash is read の in Japan. */
function spelled(text: string, inJapanese: boolean): string {
  const isNumber = /^[\d\s+()-]+$/.test(text);
  const characters = [...text.toLowerCase()].filter((character) => !/[\s()]/.test(character));
  return characters
    .map((each) => (inJapanese && isNumber && each === '-' ? 'の' : (spokenName(each, inJapanese) ?? each)))
    .join(inJapanese ? '、' : ', ');
}
