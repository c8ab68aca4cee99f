import type { PhoneNumber } from '../../../contract/phone/phone-number.ts';
import { countryOfNumber } from '../../../contract/phone-number.ts';

/** What carriers send instead of a number that is withheld: a word, or its letters on a keypad. */
const withheldNumbers: ReadonlySet<string> = new Set(['+266696687', '+7378742883', '+86282452253', '+8656696']);

/** The caller's number in E.164 format; null if it is withheld, or none. */
export function callerNumber(given: string): string | null {
  const number = /^\d{7,15}$/.test(given) ? `+${given}` : given;
  return /^\+[1-9]\d{4,14}$/.test(number) && !withheldNumbers.has(number) ? number : null;
}

/** Why a number does not take a call, in words; null if it does. */
export function inboundRefusal({ inbound }: PhoneNumber, from: string | null): string | null {
  if (!inbound.enabled) return 'Inbound calls to this number are disabled.';
  if (from === null) return null;
  if (inbound.blockedNumbers.includes(from)) return 'The number of the caller is blocked.';
  const { allowedCountries } = inbound;
  if (allowedCountries.length > 0 && !allowedCountries.includes(countryOfNumber(from))) {
    return 'Calls from this country are not allowed.';
  }
  return null;
}
