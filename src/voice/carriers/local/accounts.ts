import { newSid } from './formats.ts';

export interface PhoneNumberSettings {
  friendlyName?: string;
  voiceUrl?: string;
  voiceMethod?: 'GET' | 'POST';
  voiceFallbackUrl?: string;
  voiceFallbackMethod?: 'GET' | 'POST';
  statusCallback?: string;
  statusCallbackMethod?: 'GET' | 'POST';
  voiceApplicationSid?: string;
  trunkSid?: string;
  /** False: a number without voice, for tests of checks. */
  voice?: boolean;
}

export interface OwnedNumber extends Required<PhoneNumberSettings> {
  readonly sid: string;
  readonly number: string;
  readonly createdAt: number;
  updatedAt: number;
}

export interface AccountOptions {
  readonly accountSid: string;
  readonly authToken: string;
  readonly apiKeys?: readonly { readonly sid: string; readonly secret: string }[];
  /** Every +9991 and seven digits belongs to the account. */
  readonly numbersOnDemand?: boolean;
  /** More calls wait in the carrier's queue. Unlimited by default. */
  readonly callsPerSecond?: number;
  readonly friendlyName?: string;
}

const onDemand = /^\+(9991\d{7})$/;
/** The sid of a number on demand contains it, so that it is the same after a restart. */
const onDemandSid = /^PN0{21}(9991\d{7})$/;
const maxNumbers = 10_000;

export class Account {
  readonly options: AccountOptions;
  readonly createdAt: number;
  readonly #numbers = new Map<string, OwnedNumber>();
  readonly #now: () => number;
  #nextDialAt = 0;

  constructor(options: AccountOptions, now: () => number) {
    this.options = options;
    this.#now = now;
    this.createdAt = now();
  }

  get sid(): string {
    return this.options.accountSid;
  }

  accepts(user: string, password: string): boolean {
    if (user === this.sid) return password === this.options.authToken;
    return (this.options.apiKeys ?? []).some(({ sid, secret }) => sid === user && secret === password);
  }

  addNumber(number: string, settings: PhoneNumberSettings = {}): OwnedNumber {
    if (this.#numbers.size >= maxNumbers) throw new Error('The account has too many numbers.');
    const digits = this.options.numbersOnDemand === true ? onDemand.exec(number)?.[1] : undefined;
    const owned: OwnedNumber = {
      sid: digits === undefined ? newSid('PN') : `PN${digits.padStart(32, '0')}`,
      number,
      friendlyName: number,
      voiceUrl: '',
      voiceMethod: 'POST',
      voiceFallbackUrl: '',
      voiceFallbackMethod: 'POST',
      statusCallback: '',
      statusCallbackMethod: 'POST',
      voiceApplicationSid: '',
      trunkSid: '',
      voice: true,
      createdAt: this.#now(),
      updatedAt: this.#now(),
      ...settings,
    };
    this.#numbers.set(number, owned);
    return owned;
  }

  number(number: string): OwnedNumber | null {
    const known = this.#numbers.get(number);
    if (known !== undefined) return known;
    return this.options.numbersOnDemand === true && onDemand.test(number) ? this.addNumber(number) : null;
  }

  numberOfSid(sid: string): OwnedNumber | null {
    for (const owned of this.#numbers.values()) if (owned.sid === sid) return owned;
    const digits = onDemandSid.exec(sid)?.[1];
    return digits === undefined ? null : this.number(`+${digits}`);
  }

  numbers(): OwnedNumber[] {
    return [...this.#numbers.values()];
  }

  /** How long a new call waits in the queue. Takes its place there. */
  queueMs(nowMs: number): number {
    const { callsPerSecond } = this.options;
    if (callsPerSecond === undefined) return 0;
    const at = Math.max(nowMs, this.#nextDialAt);
    this.#nextDialAt = at + 1000 / callsPerSecond;
    return at - nowMs;
  }
}
