import { type CountryCode, getCountries, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { Language } from '../language/language.tsx';

/** The country of the numbers of provider `test`, which no country has. */
export const noCountry = 'ZZ';
const testNumber = /^\+999(\d{4})(\d{4})$/;

/** A number that was typed, as it would be dialed. */
export interface ReadNumber {
  /** In E.164 format. */
  readonly number: string;
  readonly country: string;
}

/**
 * What was typed, in any usual way of writing: with spaces, hyphens or full-width digits, and without the country code
 * in the country that is given. Null if it is not a phone number. The service has the last word.
 */
export function readNumber(typed: string, country: string = noCountry): ReadNumber | null {
  const text = typed.normalize('NFKC').trim();
  const plain = text.replaceAll(/[\s().\-‐‑–—ー]/g, '');
  if (testNumber.test(plain)) return { number: plain, country: noCountry };
  const parsed = parsePhoneNumberFromString(text.replace(/^00/, '+'), isCountry(country) ? country : undefined);
  if (parsed?.isValid() !== true) return null;
  return { number: parsed.number, country: parsed.country ?? noCountry };
}

/** In groups, as people read it. Numbers without all their digits stay as they are. */
export function formatNumber(number: string): string {
  const [, start, end] = testNumber.exec(number) ?? [];
  if (start !== undefined) return `+999 ${start} ${end}`;
  return parsePhoneNumberFromString(number)?.formatInternational() ?? number;
}

export function isTestNumber(number: string): boolean {
  return testNumber.test(number);
}

/** The name of a country by its code; null if it is none. */
export function countryName(country: string, language: Language): string | null {
  if (country === noCountry) return null;
  return new Intl.DisplayNames(language, { type: 'region', fallback: 'code' }).of(country) ?? country;
}

/** Every country that has phone numbers, by name. */
export function countryChoices(language: Language): readonly { readonly value: string; readonly label: string }[] {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' });
  return getCountries()
    .filter((code) => code.length === 2)
    .map((value) => ({ value, label: `${names.of(value) ?? value} (${value})` }))
    .sort((one, other) => one.label.localeCompare(other.label, language));
}

function isCountry(country: string): country is CountryCode {
  return (getCountries() as readonly string[]).includes(country);
}
