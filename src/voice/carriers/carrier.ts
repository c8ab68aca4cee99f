/** What the service needs of any carrier: an account that places, moves and ends phone calls, and has numbers. */

export interface CarrierCredentials {
  readonly accountSid: string;
  /** The token also verifies the signatures of the carrier's requests. */
  readonly authToken: string;
  /** Used for requests instead of the token, if both are set. */
  readonly apiKeySid?: string;
  readonly apiKeySecret?: string;
}

export interface DialRequest {
  /** E.164, like `from`. */
  readonly to: string;
  readonly from: string;
  /** Asked for a document once the call is answered. */
  readonly answerUrl: string;
  /** Gets the reports of the call. */
  readonly statusUrl: string;
  readonly ringTimeoutMs: number;
  /** The carrier ends the call after this time, also without us. */
  readonly maxDurationMs: number;
  /** Gets the result of the carrier's own answering machine detection; null: it is off. */
  readonly machineDetectionUrl: string | null;
}

/** Why the carrier refused to place a call, as an end reason of the call. */
export type RefusalReason = 'invalid_destination' | 'destination_not_allowed' | 'dial_failed' | 'carrier_failed';

/** `detail` is a sentence of our own, without secrets and without numbers. */
export type DialOutcome =
  | { readonly what: 'confirmed'; readonly providerCallId: string }
  | {
      readonly what: 'refused';
      readonly endReason: RefusalReason;
      /** The carrier's code, or `HTTP 403` if it gave none. */
      readonly code: string;
      readonly detail: string;
    }
  /** Nothing has happened: there was no connection, or the carrier has too many requests. A retry is safe. */
  | { readonly what: 'not_sent'; readonly retryAfterMs: number | null; readonly detail: string }
  /** The carrier may have placed the call: it has to be looked up, and never dialed again. */
  | { readonly what: 'unknown'; readonly detail: string };

export type CarrierCallState =
  | 'queued'
  | 'ringing'
  | 'in_progress'
  | 'completed'
  | 'busy'
  | 'no_answer'
  | 'failed'
  | 'canceled';

export interface CarrierCall {
  readonly providerCallId: string;
  /** As the carrier writes them: E.164, or a word such as `anonymous`. */
  readonly from: string;
  readonly to: string;
  readonly direction: 'inbound' | 'outbound';
  readonly state: CarrierCallState;
  /** Milliseconds since 1970, in whole seconds. */
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** What the carrier bills; null until the call is over. */
  readonly durationSeconds: number | null;
}

/** Four steps that a call only goes up: queued, ringing, in progress, over. A report that does not raise it is old. */
export type ReportRank = 0 | 1 | 2 | 3;

export type AnsweredBy = 'human' | 'machine' | 'fax' | 'unknown';

/** A report of a call, which may arrive late, twice and out of order. */
export interface CallReport {
  readonly providerCallId: string;
  /** The call that this leg was dialed for, in a transfer. */
  readonly parentCallId: string | null;
  readonly state: CarrierCallState;
  readonly rank: ReportRank;
  /** Why the call ended; `caller_hangup` if it was answered. Null while it has not. */
  readonly endReason:
    | 'caller_hangup'
    | 'dial_busy'
    | 'dial_no_answer'
    | 'dial_failed'
    | 'invalid_destination'
    | 'destination_not_allowed'
    | 'canceled'
    | null;
  /** The end in words, with the carrier's code; null before. */
  readonly detail: string | null;
  readonly durationSeconds: number | null;
}

/** The carrier's answering machine detection. */
export interface AnsweredByReport {
  readonly providerCallId: string;
  readonly by: AnsweredBy;
  /** How the greeting of a machine ended, if its end was heard: `beep`, or not. */
  readonly greetingEnd: 'beep' | 'silence' | 'other' | null;
}

/** How the dialed leg of a cold transfer, or of a fallback number, ended. */
export interface TransferReport {
  readonly providerCallId: string;
  /** The dialed leg; null if there was none. */
  readonly legCallId: string | null;
  readonly wasAnswered: boolean;
  /** Why it was not answered, as a report of an outbound call says it. */
  readonly endReason: CallReport['endReason'];
  readonly detail: string | null;
  readonly durationSeconds: number | null;
}

export interface CarrierNumber {
  readonly providerNumberId: string;
  /** E.164. */
  readonly number: string;
  readonly name: string;
  readonly hasVoice: boolean;
  readonly voiceUrl: string | null;
  readonly statusUrl: string | null;
  /** The trunk or application that overrides the voice URL, or null. */
  readonly overriddenBy: string | null;
}

/** Where the carrier sends the calls of a number, and their reports. Null removes an address. */
export interface NumberRoute {
  readonly voiceUrl: string | null;
  readonly statusUrl: string | null;
}

export type CredentialsCheck = { readonly passed: true } | { readonly passed: false; readonly message: string };

/** Where a call goes on: a document, or an address that returns one. */
export type RedirectTarget = { readonly url: string } | { readonly document: string };

/** Every method but `dial` throws a CarrierError if the carrier does not do it; it can then be tried again. */
export interface CarrierClient {
  /** Sends one request, once; never throws. */
  dial(request: DialRequest, signal?: AbortSignal): Promise<DialOutcome>;
  /** The calls between two numbers that were created then or later, newest first. `since`: milliseconds since 1970. */
  findCalls(filter: {
    readonly to: string;
    readonly from: string;
    readonly since: number;
  }): Promise<readonly CarrierCall[]>;
  getCall(providerCallId: string): Promise<CarrierCall | null>;
  /** Ends a call, even if it is still ringing. `over`: it has ended; `requested`: it is about to. */
  hangUp(providerCallId: string): Promise<'over' | 'requested'>;
  /** False if the call is over, or not answered yet. */
  redirect(providerCallId: string, to: RedirectTarget): Promise<boolean>;
  /** The carrier ends the call once it has lasted this long, also without us. False like `redirect`. */
  limitDuration(providerCallId: string, maxDurationMs: number): Promise<boolean>;
  checkCredentials(): Promise<CredentialsCheck>;
  listNumbers(): Promise<readonly CarrierNumber[]>;
  findNumber(number: string): Promise<CarrierNumber | null>;
  routeNumber(providerNumberId: string, route: NumberRoute): Promise<void>;
}

/** The carrier did not do what was asked. The message is a sentence of our own, without secrets and without numbers. */
export class CarrierError extends Error {
  override readonly name = 'CarrierError';
  /** The carrier's code, or `HTTP 500`; null if there was no response. */
  readonly code: string | null;
  /** Whether another attempt may help. */
  readonly isRetryable: boolean;

  constructor(message: string, { code = null, isRetryable }: { code?: string | null; isRetryable: boolean }) {
    super(message);
    this.code = code;
    this.isRetryable = isRetryable;
  }
}
