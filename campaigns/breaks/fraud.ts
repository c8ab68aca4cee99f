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
    statement: 'if (found !== null) return { forbidden: found, isOurs: false }',
  },
  {
    about: 'a model names the number of a transfer',
    engine: 'sqlite',
    in: 'SessionPhone.runTool',
    replace: 'phone.transfers.find((entry) => entry.name === given.name)',
    with: '[...phone.transfers, { ...(phone.transfers[0] as TransferTarget), to: String(given.name) }].find((entry) => entry.name === given.name || entry.to === given.name)',
  },
];
