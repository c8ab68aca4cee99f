import { createRequire } from 'node:module';
import type { CountryCode, PhoneNumber } from 'libphonenumber-js/max';

const require = createRequire(import.meta.url);

/** Loaded when the first number is read: it takes 10 MB, which a service without phone calls does not need. */
function library(): typeof import('libphonenumber-js/max') {
  return require('libphonenumber-js/max');
}

/** Of numbers without a country, such as satellite phones and those of the test carrier. */
export const noCountry = 'ZZ';

export interface ParsedNumber {
  /** In E.164 format. */
  readonly number: string;
  /** `ZZ` if it has none. */
  readonly country: string;
  /** It costs the caller more than a call of its country does. */
  readonly isPremium: boolean;
  /** Of the test carrier: `+999`, which no country has. */
  readonly isTest: boolean;
}

export type NumberResult = ParsedNumber | { readonly issue: string };

/** Which numbers are accepted: those of the world, those of the test carrier, or both. */
export type NumberRange = 'public' | 'test' | 'any';

/**
 * Reads a number that must be valid and in E.164 format. `country`: where a number without a country code may be from,
 * for the proposal in the message.
 */
export function readNumber(given: string, range: NumberRange, country?: string): NumberResult {
  const isTest = isTestNumber(given);
  if (range === 'test')
    return isTest ? testNumber(given) : { issue: 'must be +999 and eight digits: it is a test carrier' };
  if (isTest) {
    return range === 'any'
      ? testNumber(given)
      : { issue: 'is a number of the test carrier, which others cannot reach' };
  }
  const parsed = library().parsePhoneNumberFromString(given);
  // It silently reads +810312345678 as +81312345678, which is another number to a carrier.
  if (parsed === undefined || !parsed.isValid() || parsed.number !== given) return { issue: issueOf(given, country) };
  return { number: given, country: parsed.country ?? noCountry, isPremium: isPremium(parsed), isTest: false };
}

/** `+999` and eight digits. */
export function isTestNumber(given: string): boolean {
  return /^\+999\d{8}$/.test(given);
}

/** The number without its country code, as it is dialed inside the country, but without the prefix. */
export function nationalNumberOf(number: string): string {
  return library().parsePhoneNumberFromString(number)?.nationalNumber ?? '';
}

function testNumber(number: string): ParsedNumber {
  return { number, country: noCountry, isPremium: false, isTest: true };
}

function isPremium(parsed: PhoneNumber): boolean {
  const type = parsed.getType();
  return type === 'PREMIUM_RATE' || type === 'SHARED_COST';
}

function issueOf(given: string, country: string | undefined): string {
  const proposed = proposalFor(given, country);
  return proposed === null
    ? 'must be a valid phone number in E.164 format, such as +81312345678'
    : `must be a valid phone number in E.164 format: did you mean ${proposed}?`;
}

function proposalFor(given: string, country: string | undefined): string | null {
  // 00 is how most countries dial the plus sign.
  const international = given.replace(/^\s*00/, '+');
  const known = country === undefined || country === noCountry ? undefined : (country as CountryCode);
  const parsed = library().parsePhoneNumberFromString(international, known);
  return parsed?.isValid() === true ? parsed.number : null;
}
