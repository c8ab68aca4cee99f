import { createRequire } from 'node:module';
import { z } from 'zod';

const require = createRequire(import.meta.url);

/** Loaded for the first number that needs it: the complete numbering plans take several megabytes. */
function library(): typeof import('libphonenumber-js/max') {
  return require('libphonenumber-js/max');
}

const e164 = /^\+[1-9]\d{6,14}$/;
/** The numbers of provider `test`, which no country has. */
const testNumber = /^\+999\d{8}$/;

/** `public`: those of the world. `test`: those of provider `test`. */
export type NumberRange = 'public' | 'test' | 'any';

/** What is wrong with a phone number; null if it is valid in E.164 format. Whether it may be dialed is another question. */
export function phoneNumberIssue(given: string, range: NumberRange = 'any'): string | null {
  if (isTestNumber(given))
    return range === 'public' ? 'is a number of the provider test, which others cannot reach' : null;
  if (range === 'test') return 'must be +999 and eight digits, because the carrier is of the provider test';
  const parsed = library().parsePhoneNumberFromString(given);
  const isValid = parsed?.isValid() === true;
  // The library also reads a national zero after the country code, which E.164 does not have.
  if (isValid && parsed.number === given && e164.test(given)) return null;
  const message = 'must be a valid phone number in E.164 format, such as +81312345678';
  const proposed = proposalFor(given);
  return proposed === null ? message : `${message}; did you mean ${proposed}?`;
}

/** The same number in E.164 format, if its country is plain. Most countries dial 00 for the plus sign. */
function proposalFor(given: string): string | null {
  const parsed = library().parsePhoneNumberFromString(given.replace(/^\s*00/, '+'));
  return parsed?.isValid() === true && parsed.number !== given ? parsed.number : null;
}

export function isTestNumber(number: string): boolean {
  return testNumber.test(number);
}

/** A valid phone number in E.164 format. */
export const phoneNumber = z
  .string()
  .max(40, { error: 'must be at most 40 characters long', abort: true })
  .superRefine((given, context) => {
    const message = phoneNumberIssue(given);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .meta({ maxLength: 16, pattern: e164.source });

/** A number whose calls cost more than those of its country. */
export function isPremiumNumber(number: string): boolean {
  const type = library().parsePhoneNumberFromString(number)?.getType();
  return type === 'PREMIUM_RATE' || type === 'SHARED_COST';
}

/** The digits after the country code; empty if it is not valid. */
export function nationalDigitsOf(number: string): string {
  return library().parsePhoneNumberFromString(number)?.nationalNumber ?? '';
}

/** The country of a number in E.164 format, such as `JP`; `ZZ` if it belongs to none. */
export function countryOfNumber(number: string): string {
  return library().parsePhoneNumberFromString(number)?.country ?? 'ZZ';
}

/** The number as it is stored without personal data: its country code and its last two digits, `+81********78`. */
export function maskedNumber(number: string): string {
  const code = codeOf(number);
  const rest = number.slice(code.length);
  return `${code}${rest.slice(0, -2).replace(/\d/g, '*')}${rest.slice(-2)}`;
}

/** With `+`. Empty if it is not in E.164 format. */
function codeOf(number: string): string {
  if (testNumber.test(number)) return '+999';
  const code = library().parsePhoneNumberFromString(number)?.countryCallingCode;
  return code !== undefined && number.startsWith(`+${code}`) ? `+${code}` : '';
}
