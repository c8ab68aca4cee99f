import type { PhoneNumber } from '../../../contract/phone/phone-number.ts';
import { countryOfNumber } from '../../../contract/phone-number.ts';

/** The caller's number in E.164 format, which some carriers send without the plus sign; null if it is withheld. */
export function callerNumber(given: string | null): string | null {
  return given !== null && /^[1-9]\d{6,14}$/.test(given) ? `+${given}` : given;
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
