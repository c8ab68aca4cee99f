import type { CountryCode } from 'libphonenumber-js';
import { isJapanesePhoneNumber } from '../text/personal-numbers.ts';
import { phoneLibrary } from '../text/phone-library.ts';
import { onlyDigits } from './digits.ts';

/**
 * With a plus any number in the world, with a zero a Japanese one, and otherwise one of the country that the language
 * names (`en-US`). If that gives two numbers, neither is taken.
 */
export function understandPhone(words: string, language: string): string | undefined {
  const number = onlyDigits(words);
  if (number === undefined) return undefined;
  const readings = number.hasPlus
    ? [validNumber(`+${number.digits}`, undefined)]
    : [
        number.digits.startsWith('0') ? validNumber(number.digits, 'JP') : undefined,
        validNumber(number.digits, countryOf(language)),
      ];
  const valid = new Set(readings.filter((reading) => reading !== undefined));
  return valid.size === 1 ? [...valid][0] : undefined;
}

function countryOf(language: string): CountryCode | undefined {
  const region = /^[a-z]{2,3}-(?:[A-Za-z]{4}-)?([A-Za-z]{2})$/.exec(language)?.[1]?.toUpperCase();
  return region !== undefined && region !== 'JP' && phoneLibrary().isSupportedCountry(region) ? region : undefined;
}

function validNumber(digits: string, country: CountryCode | undefined): string | undefined {
  if (country === undefined && !digits.startsWith('+')) return undefined;
  const { parsePhoneNumberFromString } = phoneLibrary();
  const parsed =
    country === undefined ? parsePhoneNumberFromString(digits) : parsePhoneNumberFromString(digits, country);
  if (parsed?.isValid() !== true) return undefined;
  // The library also accepts mobile numbers that are a digit short.
  if (parsed.country === 'JP' && !isJapanesePhoneNumber(`0${parsed.nationalNumber}`)) return undefined;
  return parsed.number;
}
