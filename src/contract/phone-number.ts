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

/** What is wrong with a phone number; null if it is valid in E.164 format. Whether it may be dialed is another question. */
export function phoneNumberIssue(given: string): string | null {
  if (testNumber.test(given)) return null;
  const parsed = library().parsePhoneNumberFromString(given);
  const isValid = parsed?.isValid() === true;
  // The library also reads a national zero after the country code, which E.164 does not have.
  if (isValid && parsed.number === given && e164.test(given)) return null;
  const message = 'must be a valid phone number in E.164 format, such as +81312345678';
  return isValid && parsed.number !== given ? `${message}; did you mean ${parsed.number}?` : message;
}

/** A valid phone number in E.164 format. */
export const phoneNumber = z
  .string()
  .max(64)
  .superRefine((given, context) => {
    const message = phoneNumberIssue(given);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

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
