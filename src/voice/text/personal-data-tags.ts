export const personalDataTags = [
  'EMAIL',
  'PHONE_NUMBER',
  'CARD_NUMBER',
  'MY_NUMBER',
  'BANK_ACCOUNT',
  'POSTAL_CODE',
  'IP_ADDRESS',
  'DATE_OF_BIRTH',
] as const;
export type PersonalDataTag = (typeof personalDataTags)[number];

export interface PersonalSpan {
  readonly start: number;
  readonly end: number;
  readonly tag: PersonalDataTag;
}
