import type { Fault } from './faults.ts';

/** What the person or machine at a phone does, in order, once the call is connected. */
export type PhoneStep =
  /** Waits until the other side can be heard and hears: otherwise the first words are lost. 10 s at most by default. */
  | { readonly do: 'wait_for_media'; readonly maxMs?: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'say'; readonly text: string | Readonly<Record<string, string>> }
  /** Waits until the other side has spoken and is quiet, or has said nothing for `startWithinMs` (10,000). */
  | { readonly do: 'listen'; readonly quietMs?: number; readonly startWithinMs?: number; readonly maxMs?: number }
  | { readonly do: 'press'; readonly digits: string; readonly gapMs?: number }
  | { readonly do: 'beep'; readonly hz?: number; readonly ms?: number }
  | { readonly do: 'repeat'; readonly times: number; readonly steps: readonly PhoneStep[] }
  | { readonly do: 'hang_up' };

/** A phone and the person who answers it, as data. */
export interface Phone {
  /** `invalid`: the request is refused. `unreachable`: the call fails. By default it answers. */
  readonly outcome?: 'answers' | 'busy' | 'rings' | 'declines' | 'invalid' | 'forbidden' | 'unreachable';
  /** How long it rings before it answers or declines; 1,000 by default. */
  readonly ringMs?: number;
  readonly steps?: readonly PhoneStep[];
  /** What answering machine detection finds. */
  readonly answeredBy?: 'human' | 'machine' | 'fax' | 'unknown';
  /** Faults of the calls to this phone. */
  readonly faults?: readonly Fault[];
  /** How it behaves if a `Dial` verb calls it instead of a request. */
  readonly whenDialed?: Phone;
  /** What it does if it calls one of the numbers itself: callers let the other side speak first. */
  readonly whenCalling?: readonly PhoneStep[];
}

const hello: PhoneStep = { do: 'say', text: { en: 'Hello, this is Sam.', ja: 'もしもし。' } };
const yes: PhoneStep = { do: 'say', text: { en: 'Yes.', ja: 'はい。' } };
const no: PhoneStep = { do: 'say', text: { en: 'No.', ja: 'いいえ。' } };
const media: PhoneStep = { do: 'wait_for_media' };
const greeting: PhoneStep = {
  do: 'say',
  text: {
    en: 'You have reached the voicemail of this number. Please leave a message after the tone.',
    ja: 'ただいま電話に出ることができません。発信音の後に、お名前とご用件をお話しください。',
  },
};

/** By the last two digits of `+9990` and seven digits. */
export const standardPhones: Readonly<Record<string, Phone>> = {
  '01': talking(),
  '02': { outcome: 'busy' },
  '03': { outcome: 'rings' },
  '04': {
    answeredBy: 'machine',
    steps: [media, greeting, { do: 'wait', ms: 500 }, { do: 'beep' }, { do: 'wait', ms: 30_000 }, { do: 'hang_up' }],
  },
  '05': { outcome: 'declines' },
  '06': { outcome: 'invalid' },
  '07': { outcome: 'unreachable' },
  '08': { steps: [{ do: 'hang_up' }] },
  '09': { ...talking(), faults: [{ of: 'request', fault: { kind: 'lost_after' } }] },
  '10': { ...talking(), faults: [{ of: 'request', fault: { kind: 'lost_before' } }] },
  '11': { answeredBy: 'unknown', steps: [] },
  '12': { steps: [media, { do: 'wait', ms: 500 }, { do: 'press', digits: '123#' }] },
  '13': { ...talking(), ringMs: 10_000 },
  '20': {
    steps: [media, { do: 'listen' }, { do: 'press', digits: '1' }, { do: 'wait', ms: 10_000 }, { do: 'hang_up' }],
    whenDialed: { steps: [media, hello, { do: 'wait', ms: 10_000 }, { do: 'hang_up' }] },
  },
  '21': {
    steps: [media, { do: 'listen' }, no, { do: 'wait', ms: 30_000 }, { do: 'hang_up' }],
    whenDialed: { outcome: 'declines' },
  },
};

/** This phone hangs up by itself, so that a test call ends. */
function talking(): Phone {
  const agrees: PhoneStep[] = [{ do: 'repeat', times: 5, steps: [{ do: 'listen' }, yes] }, { do: 'hang_up' }];
  return {
    steps: [media, hello, ...agrees],
    whenCalling: [media, { do: 'listen', startWithinMs: 3000 }, hello, ...agrees],
  };
}

const phoneNumber = /^\+9990\d{5}(\d\d)$/;

/** The phone with a number, null if there is none. */
export function standardPhone(phones: Readonly<Record<string, Phone>>, number: string): Phone | null {
  const digits = phoneNumber.exec(number)?.[1];
  return digits === undefined ? null : (phones[digits] ?? null);
}

export function textIn(text: string | Readonly<Record<string, string>>, language: string): string {
  if (typeof text === 'string') return text;
  return text[language] ?? text[language.split('-')[0] ?? ''] ?? text.en ?? '';
}
