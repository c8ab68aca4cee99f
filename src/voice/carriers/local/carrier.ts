import type { Clock } from '../../clock.ts';
import { Account, type AccountOptions, type OwnedNumber, type PhoneNumberSettings } from './accounts.ts';
import { type LoggedCall, loggedCall } from './call-log.ts';
import { type CallChange, type CallRequest, type InboundCall, RequestRefused } from './call-request.ts';
import { CallScript } from './call-script.ts';
import { Conferences } from './conferences.ts';
import { detectMachine, dial, limitTime } from './dialing.ts';
import { Faults } from './faults.ts';
import { iso8601, newSid } from './formats.ts';
import { Leg, type LegContext } from './leg.ts';
import { bytesPerMs } from './mulaw.ts';
import { type Phone, standardPhone, standardPhones } from './phones.ts';
import type { OpenMediaSocket, SendWebhook } from './ports.ts';
import type { Child, ChildRequest, ScriptContext } from './script-context.ts';
import type { PhoneVoice } from './speech.ts';
import { Ticker } from './ticker.ts';
import { Interrupted } from './waiting.ts';
import { Webhooks } from './webhooks.ts';

export interface CarrierOptions {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sendWebhook: SendWebhook;
  readonly openSocket: OpenMediaSocket;
  /** More phones, or others, by the last two digits of their numbers. */
  readonly phones?: Readonly<Record<string, Phone>>;
  /** Phones with any number; asked first. */
  readonly phoneOf?: (number: string) => Phone | null;
  /** The voices of phones and of the carrier by language. Without one, everything is test speech. */
  readonly voiceOf?: (language: string) => PhoneVoice | null;
  /** Whether the phone of a call speaks test speech although there is a voice. */
  readonly hasTestSpeech?: (call: { readonly to: string; readonly from: string }) => boolean;
  /** What phones speak: `en` or `ja`. */
  readonly language?: string;
  /** Calls at a time. */
  readonly maxCalls?: number;
  /** Calls that are remembered. */
  readonly maxLogged?: number;
  /** How much of each side's audio is kept, from the answer on; nothing by default. */
  readonly recordedMs?: number;
  /** Ended calls whose audio is kept. */
  readonly maxRecordings?: number;
  /** Gets every call when it is placed, at each change of its status, and when it has ended. */
  readonly log?: (call: LoggedCall) => void;
}

/** Something that a client of the carrier must never do: test runs check that there is none. */
export interface Violation {
  readonly at: string;
  readonly message: string;
  readonly callSid: string | null;
}

const limits = { maxCalls: 1000, maxLogged: 10_000, maxRecordings: 50, recordedMs: 0 };
const maxNotes = 1000;
const maxCallMs = 14_400_000;
const e164 = /^\+[1-9]\d{6,14}$/;

/** The carrier without its network: accounts, numbers, calls and phones. */
export class Carrier {
  readonly faults = new Faults();
  readonly violations: Violation[] = [];
  /** Errors of documents, as in Twilio's debugger. */
  readonly notifications: (Violation & { readonly code: number })[] = [];
  readonly options: CarrierOptions;
  readonly #limits: typeof limits;
  readonly #accounts = new Map<string, Account>();
  readonly #legs = new Map<string, Leg>();
  readonly #scripts = new WeakMap<Leg, CallScript>();
  readonly #active = new Set<Leg>();
  readonly #recorded: Leg[] = [];
  readonly #closed = new AbortController();
  readonly #webhooks: Webhooks;
  readonly #legContext: LegContext;
  readonly #scriptContext: ScriptContext;

  constructor(options: CarrierOptions) {
    this.options = options;
    this.#limits = { ...limits, ...options };
    const { clock, now, openSocket } = options;
    const { faults } = this;
    this.#webhooks = new Webhooks({ clock, send: options.sendWebhook, faults, signal: this.#closed.signal });
    this.#legContext = {
      clock,
      now,
      ticker: new Ticker(clock),
      webhooks: this.#webhooks,
      changed: (leg) => this.#changed(leg),
      maxRecordedBytes: this.#limits.recordedMs * bytesPerMs,
    };
    this.#scriptContext = {
      clock,
      now,
      webhooks: this.#webhooks,
      faults,
      openSocket,
      conferences: new Conferences(),
      voiceOf: (language) => options.voiceOf?.(language) ?? null,
      dialChild: (request) => this.#dialChild(request),
      violation: (message, leg) => this.violation(message, leg?.sid ?? null),
      notify: (code, message, leg) => {
        const at = iso8601(now());
        if (this.notifications.length < maxNotes) this.notifications.push({ at, code, message, callSid: leg.sid });
      },
    };
  }

  addAccount(account: AccountOptions): Account {
    const added = new Account(account, this.options.now);
    this.#accounts.set(added.sid, added);
    return added;
  }

  account(sid: string): Account | null {
    return this.#accounts.get(sid) ?? null;
  }

  accounts(): Account[] {
    return [...this.#accounts.values()];
  }

  addNumber(accountSid: string, number: string, settings: PhoneNumberSettings = {}): OwnedNumber {
    const account = this.#accounts.get(accountSid);
    if (account === undefined) throw new Error('The account does not exist.');
    return account.addNumber(number, settings);
  }

  violation(message: string, callSid: string | null): void {
    const at = iso8601(this.options.now());
    if (this.violations.length < maxNotes) this.violations.push({ at, message, callSid });
  }

  leg(sid: string): Leg | null {
    return this.#legs.get(sid) ?? null;
  }

  /** Oldest first. */
  legs(): Leg[] {
    return [...this.#legs.values()];
  }

  log(): LoggedCall[] {
    return this.legs().map(loggedCall);
  }

  phone(number: string): Phone | null {
    const { phoneOf, phones = {} } = this.options;
    return phoneOf?.(number) ?? standardPhone({ ...standardPhones, ...phones }, number);
  }

  /** A call by request. Throws `RequestRefused`. */
  createCall(account: Account, request: CallRequest): Leg {
    const { to, from } = request;
    if (!e164.test(to))
      throw new RequestRefused(400, 21_211, `The phone number you are attempting to call, ${to}, is not valid.`);
    const number = account.number(from);
    if (number === null)
      throw new RequestRefused(
        400,
        21_210,
        `The source phone number provided, ${from}, is not yet verified for your account.`,
      );
    const phone = this.#dialable(to);
    if (this.#active.size >= this.#limits.maxCalls) throw new RequestRefused(429, 20_429, 'Too Many Requests');
    const leg = this.#createLeg({
      account,
      direction: 'outbound-api',
      from,
      to,
      phone,
      parentSid: null,
      statusCallback: request.statusCallback,
      fallback: request.fallback,
      phoneNumberSid: number.sid,
    });
    leg.queueMs = account.queueMs(this.options.clock.now());
    leg.enter('queued');
    void this.#runOutbound(leg, request);
    return leg;
  }

  /** Redirects or ends a call, or limits its duration. Throws `RequestRefused`. */
  updateCall(leg: Leg, { status, instruction, timeLimitMs }: CallChange): void {
    const refusal = new RequestRefused(400, 21_220, 'Call is not in-progress. Cannot redirect.');
    if (leg.isOver) throw refusal;
    if (status === undefined) {
      if (!leg.isAnswered) throw refusal;
      const lastedMs = this.options.now() - (leg.answeredAt ?? 0);
      if (timeLimitMs !== undefined) limitTime(this.options.clock, leg, timeLimitMs - lastedMs);
      if (instruction !== undefined) this.#script(leg).run(instruction);
      return;
    }
    if (status === 'canceled' && leg.isAnswered) return;
    leg.end(leg.isAnswered ? 'completed' : 'canceled', 'request');
  }

  /** A phone calls one of the numbers. */
  callNumber(call: InboundCall): Leg {
    const { to, accountSid, phone = '01' } = call;
    const accounts = this.accounts().filter(({ sid }) => accountSid === undefined || sid === accountSid);
    const account = accounts.find((each) => each.number(to) !== null);
    const number = account?.number(to);
    if (account === undefined || number === null || number === undefined)
      throw new Error(`${to} is not a number here.`);
    const caller = typeof phone === 'string' ? ({ ...standardPhones, ...this.options.phones }[phone] ?? null) : phone;
    if (caller === null) throw new Error('There is no such phone.');
    if (this.#active.size >= this.#limits.maxCalls) throw new Error('Too many calls.');
    const statusUrl = number.statusCallback || call.statusCallback || '';
    const leg = this.#createLeg({
      account,
      direction: 'inbound',
      from: call.from ?? `+999000000${typeof phone === 'string' ? phone : '99'}`,
      to,
      phone: {
        ...caller,
        ...(caller.whenCalling && { steps: caller.whenCalling }),
        faults: [...(caller.faults ?? []), ...(call.faults ?? [])],
      },
      parentSid: null,
      language: call.language,
      statusCallback:
        statusUrl === '' ? null : { url: statusUrl, method: number.statusCallbackMethod, events: ['completed'] },
      fallback:
        number.voiceFallbackUrl === '' ? null : { url: number.voiceFallbackUrl, method: number.voiceFallbackMethod },
      phoneNumberSid: number.sid,
    });
    if (call.speech !== undefined) leg.hasTestSpeech = call.speech === 'test';
    this.#receive(leg, number.voiceUrl || call.voiceUrl || '', number.voiceMethod, call.giveUpAfterMs);
    return leg;
  }

  close(): void {
    this.#closed.abort();
    for (const leg of [...this.#active]) leg.end(leg.isAnswered ? 'completed' : 'canceled', 'carrier');
  }

  #receive(leg: Leg, url: string, method: 'GET' | 'POST', giveUpAfterMs: number | undefined): void {
    leg.enter('ringing');
    limitTime(this.options.clock, leg, maxCallMs);
    if (url === '') {
      this.#scriptContext.notify(11_100, 'The number has no voice URL.', leg);
      leg.end('failed', 'carrier');
      return;
    }
    if (giveUpAfterMs !== undefined) {
      const cancel = this.options.clock.after(giveUpAfterMs, () => {
        if (!leg.isAnswered) leg.hangUp();
      });
      leg.over.addEventListener('abort', cancel, { once: true });
    }
    this.#script(leg).run({ url, method });
  }

  #dialable(to: string): Phone {
    const phone = this.phone(to);
    if (phone?.outcome === 'invalid') {
      throw new RequestRefused(400, 21_217, `Phone number ${to} does not appear to be valid.`);
    }
    // The phones of this carrier are the only ones that it reaches.
    if (phone?.outcome === 'forbidden' || (phone === null && !to.startsWith('+9990'))) {
      const message = `Account not authorized to call ${to}. Perhaps you need to enable some international permissions.`;
      throw new RequestRefused(400, 21_215, message);
    }
    return phone ?? { outcome: 'unreachable' };
  }

  #createLeg(
    options: Omit<Leg['options'], 'sid' | 'language' | 'voice'> & { readonly language?: string | undefined },
  ): Leg {
    const { voiceOf, hasTestSpeech } = this.options;
    const language = options.language ?? this.options.language ?? 'en';
    const leg = new Leg(this.#legContext, {
      ...options,
      sid: newSid('CA'),
      language,
      voice: (speaker) => voiceOf?.(speaker.language) ?? null,
    });
    leg.hasTestSpeech = hasTestSpeech?.({ to: options.to, from: options.from }) ?? false;
    for (const fault of options.phone.faults ?? []) {
      if (fault.of !== 'request') this.faults.add({ ...fault, callSid: leg.sid });
    }
    this.#active.add(leg);
    this.#legs.set(leg.sid, leg);
    return leg;
  }

  async #runOutbound(leg: Leg, request: CallRequest): Promise<void> {
    const { clock } = this.options;
    const { detection, isDetectionAsync, instruction } = request;
    if (!(await dial(clock, leg, request))) return;
    for (const digit of request.sendDigits) if (digit !== 'w') leg.keysHeard += digit;
    if (detection === null || isDetectionAsync) this.#script(leg).run(instruction);
    if (detection === null) return;
    const startedAt = clock.now();
    try {
      leg.answeredBy = await detectMachine(clock, leg, detection);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      return;
    }
    if (!isDetectionAsync) this.#script(leg).run(instruction);
    if (detection.asyncCallback === null) return;
    this.#webhooks.report(leg, {
      kind: 'amd',
      ...detection.asyncCallback,
      parameters: {
        CallSid: leg.sid,
        AccountSid: leg.account.sid,
        AnsweredBy: leg.answeredBy,
        MachineDetectionDuration: String(Math.round(clock.now() - startedAt)),
      },
    });
  }

  #dialChild(request: ChildRequest): Child | { readonly code: number; readonly message: string } {
    const { parent, to, callerId } = request;
    const mayShow = [parent.options.from, parent.options.to].includes(callerId);
    if (!mayShow && parent.account.number(callerId) === null)
      return { code: 13_214, message: 'Dial: Invalid callerId' };
    const dialed = e164.test(to) ? this.phone(to) : null;
    const phone = dialed?.whenDialed ?? dialed;
    if (!e164.test(to) || phone?.outcome === 'invalid') return { code: 13_224, message: 'Dial: Invalid phone number' };
    if (phone?.outcome === 'forbidden' || (phone === null && !to.startsWith('+9990'))) {
      return { code: 13_227, message: 'Dial: No international permission' };
    }
    if (this.#active.size >= this.#limits.maxCalls) return { code: 10_004, message: 'Call concurrency limit exceeded' };
    const leg = this.#createLeg({
      account: parent.account,
      direction: 'outbound-dial',
      from: callerId,
      to,
      phone: phone ?? { outcome: 'unreachable' },
      parentSid: parent.sid,
      language: parent.language,
      statusCallback: request.statusCallback,
      fallback: null,
      phoneNumberSid: null,
    });
    leg.hasTestSpeech ||= parent.hasTestSpeech;
    return { leg, answered: dial(this.options.clock, leg, request) };
  }

  #script(leg: Leg): CallScript {
    const known = this.#scripts.get(leg);
    if (known !== undefined) return known;
    const script = new CallScript(this.#scriptContext, leg);
    this.#scripts.set(leg, script);
    return script;
  }

  #changed(leg: Leg): void {
    this.options.log?.(loggedCall(leg));
    if (leg.endedAt === null) return;
    this.#active.delete(leg);
    this.#recorded.push(leg);
    if (this.#recorded.length > this.#limits.maxRecordings) {
      const oldest = this.#recorded.shift();
      oldest?.spoken.delete();
      oldest?.heard.delete();
    }
    for (const [sid, old] of this.#legs) {
      if (this.#legs.size <= this.#limits.maxLogged) break;
      if (old.endedAt !== null) this.#legs.delete(sid);
    }
  }
}
