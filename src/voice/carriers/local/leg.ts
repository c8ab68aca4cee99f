import type { Clock } from '../../clock.ts';
import type { Account } from './accounts.ts';
import { apiVersion, rfc2822 } from './formats.ts';
import { frameBytes, silence } from './mulaw.ts';
import { PhoneParty } from './phone-party.ts';
import type { Phone } from './phones.ts';
import { PlayQueue } from './play-queue.ts';
import type { PhoneVoice } from './speech.ts';
import type { Ticker } from './ticker.ts';
import type { Webhooks } from './webhooks.ts';

export type FinalStatus = 'completed' | 'busy' | 'failed' | 'no-answer' | 'canceled';
export type CallStatus = 'queued' | 'initiated' | 'ringing' | 'in-progress' | FinalStatus;
export type Direction = 'inbound' | 'outbound-api' | 'outbound-dial';
/** Who ended a call. */
export type EndedBy = 'phone' | 'request' | 'document' | 'carrier' | 'other_leg';

export interface StatusCallback {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Some of initiated, ringing, answered, completed. */
  readonly events: readonly string[];
}

export interface LegContext {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly ticker: Ticker;
  readonly webhooks: Webhooks;
  /** After each change of the status. */
  readonly changed: (leg: Leg) => void;
  readonly maxRecordedBytes: number;
}

export interface LegOptions {
  readonly sid: string;
  readonly account: Account;
  readonly direction: Direction;
  readonly from: string;
  readonly to: string;
  readonly parentSid: string | null;
  readonly phone: Phone;
  readonly language: string;
  /** Null: test speech. */
  readonly voice: (leg: Leg) => PhoneVoice | null;
  readonly statusCallback: StatusCallback | null;
  /** Requested if a document fails. */
  readonly fallback: { readonly url: string; readonly method: 'GET' | 'POST' } | null;
  readonly phoneNumberSid: string | null;
}

const events: Readonly<Record<CallStatus, string>> = {
  queued: 'queued',
  initiated: 'initiated',
  ringing: 'ringing',
  'in-progress': 'answered',
  completed: 'completed',
  busy: 'completed',
  failed: 'completed',
  'no-answer': 'completed',
  canceled: 'completed',
};

/** A call between the carrier and one phone. */
export class Leg {
  readonly options: LegOptions;
  readonly #context: LegContext;
  readonly #over = new AbortController();
  readonly #party: PhoneParty;
  status: CallStatus = 'queued';
  readonly states: { readonly status: CallStatus; readonly at: number }[] = [];
  readonly createdAt: number;
  updatedAt: number;
  startedAt: number | null = null;
  answeredAt: number | null = null;
  endedAt: number | null = null;
  endedBy: EndedBy | null = null;
  answeredBy: string | null = null;
  sipResponseCode: number | null = null;
  queueMs = 0;
  /** Whether the phone uses test speech instead of its voice. */
  hasTestSpeech = false;
  /** What the phone speaks. */
  language: string;
  keysPressed = '';
  /** Keys that were sent to the phone. */
  keysHeard = '';
  readonly textsSaid: string[] = [];
  readonly textsHeard: string[] = [];
  readonly spoken: Recording;
  readonly heard: Recording;
  /** What the phone will hear. */
  readonly queue = new PlayQueue();
  /** Where the audio, the keys and the words of the phone go. */
  sink: ((frame: Uint8Array) => void) | null = null;
  keySink: ((digit: string) => void) | null = null;
  wordSink: ((text: string) => void) | null = null;
  /** What the phone hears instead of the queue: another leg or a conference. */
  source: (() => Uint8Array) | null = null;
  /** What the phone says in this frame. */
  frame: Uint8Array = silence(frameBytes);
  onBeep: (() => void) | null = null;
  cancelLimit: () => void = () => {};
  #sequence = 0;

  constructor(context: LegContext, options: LegOptions) {
    this.#context = context;
    this.options = options;
    this.language = options.language;
    this.createdAt = context.now();
    this.updatedAt = this.createdAt;
    this.spoken = new Recording(context.maxRecordedBytes);
    this.heard = new Recording(context.maxRecordedBytes);
    this.#party = this.#createParty();
  }

  get sid(): string {
    return this.options.sid;
  }

  get to(): string {
    return this.options.to;
  }

  get account(): Account {
    return this.options.account;
  }

  /** Aborted when the call ends. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  get isAnswered(): boolean {
    return this.status === 'in-progress';
  }

  /** Seconds from the answer to the end. */
  get durationSeconds(): number {
    return this.answeredAt === null ? 0 : Math.round(((this.endedAt ?? this.#context.now()) - this.answeredAt) / 1000);
  }

  enter(status: 'queued' | 'initiated' | 'ringing'): void {
    if (this.isOver) return;
    if (status !== 'queued') this.startedAt ??= this.#context.now();
    this.#changeTo(status);
  }

  answer(): void {
    if (this.isOver || this.isAnswered) return;
    this.answeredAt = this.#context.now();
    this.#changeTo('in-progress');
    this.#context.ticker.add(this);
    this.#party.start();
  }

  end(status: FinalStatus, by: EndedBy): void {
    if (this.isOver) return;
    this.endedAt = this.#context.now();
    this.endedBy = by;
    this.#context.ticker.remove(this);
    this.#party.stop();
    this.#changeTo(status);
    this.#over.abort();
    this.queue.forget();
  }

  /** The phone ends the call. */
  hangUp(): void {
    this.end(this.isAnswered ? 'completed' : 'canceled', 'phone');
  }

  /** The other side can hear the phone from now on. */
  hasMedia(): void {
    this.#party.hasMedia();
  }

  collect(): void {
    this.frame = this.#party.frame();
    this.spoken.append(this.frame);
  }

  deliver(): void {
    this.sink?.(this.frame);
    const heard = silence(frameBytes);
    if (this.source === null) this.queue.take(heard);
    else heard.set(this.source());
    this.heard.append(heard);
    this.#party.hear(heard);
  }

  /** The parameters that every webhook about this call has. */
  parameters(): Record<string, string> {
    const { account, direction, from, to, parentSid } = this.options;
    return {
      CallSid: this.sid,
      AccountSid: account.sid,
      ApiVersion: apiVersion,
      Direction: direction,
      From: from,
      Caller: from,
      To: to,
      Called: to,
      CallStatus: this.status,
      ...(parentSid === null ? {} : { ParentCallSid: parentSid }),
      ...(this.answeredBy === null ? {} : { AnsweredBy: this.answeredBy }),
    };
  }

  #changeTo(status: CallStatus): void {
    const at = this.#context.now();
    this.status = status;
    this.updatedAt = at;
    this.states.push({ status, at });
    this.#report(events[status]);
    this.#context.changed(this);
  }

  #report(event: string): void {
    const { statusCallback } = this.options;
    if (statusCallback === null || !statusCallback.events.includes(event)) return;
    const seconds = this.durationSeconds;
    const final: Record<string, string> =
      event === 'completed'
        ? {
            CallDuration: String(seconds),
            Duration: String(Math.ceil(seconds / 60)),
            SipResponseCode: String(this.sipResponseCode ?? (this.answeredAt === null ? 487 : 200)),
          }
        : {};
    this.#context.webhooks.report(this, {
      kind: 'status',
      url: statusCallback.url,
      method: statusCallback.method,
      parameters: {
        ...this.parameters(),
        ...final,
        Timestamp: rfc2822(this.#context.now()),
        CallbackSource: 'call-progress-events',
        SequenceNumber: String(this.#sequence++),
      },
    });
  }

  #createParty(): PhoneParty {
    const { phone, voice } = this.options;
    return new PhoneParty({
      clock: this.#context.clock,
      phone,
      language: () => this.language,
      voice: () => (this.hasTestSpeech ? null : voice(this)),
      events: {
        said: (text) => {
          this.textsSaid.push(text);
          this.wordSink?.(text);
        },
        pressed: (digit) => {
          this.keysPressed += digit;
          this.keySink?.(digit);
        },
        beeped: () => this.onBeep?.(),
        hungUp: () => this.hangUp(),
      },
    });
  }
}

/** Audio of a call, mu-law, from the answer on: one byte a sample. What exceeds the limit is not kept. */
class Recording {
  readonly #maxBytes: number;
  #bytes = new Uint8Array(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#maxBytes) return;
    if (length > this.#bytes.length) {
      const longer = new Uint8Array(Math.min(this.#maxBytes, Math.max(16_000, 2 * length)));
      longer.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = longer;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  delete(): void {
    this.#bytes = new Uint8Array(0);
    this.#length = 0;
  }
}
