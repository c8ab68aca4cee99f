import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'the country of a number is its country code',
    engine: 'sqlite',
    in: 'countryOfNumber',
    replace: "library().parsePhoneNumberFromString(number)?.country ?? 'ZZ'",
    with: "number.startsWith('+44') ? 'GB' : (library().parsePhoneNumberFromString(number)?.country ?? 'ZZ')",
  },
  {
    about: 'premium-rate numbers may be dialed',
    engine: 'sqlite',
    in: 'isPremiumNumber',
    replace: "type === 'PREMIUM_RATE' || type === 'SHARED_COST'",
    with: 'false && type !== undefined',
  },
  {
    about: 'transfers are not checked',
    engine: 'sqlite',
    in: 'createTransfers.check',
    statement: 'throw forbiddenError(forbidden, carrier)',
  },
  {
    about: 'a number is not checked again when it is dialed',
    engine: 'sqlite',
    in: 'send',
    replace: 'if (found !== null) return { forbidden: found, isOurs: false };',
    with: "if (found?.rule === 'provider') return { forbidden: found, isOurs: false };",
  },
  {
    about: 'a custom LLM server names a number that is not in the list of transfers',
    engine: 'sqlite',
    in: 'SessionPhone.entryFor',
    replace: 'return this.host.phone?.transfers.find(({ to }) => to === number);',
    with: 'return { ...(this.host.phone?.transfers[0] as TransferTarget), to: number };',
  },
];
