import type { MachineDetection } from './dialing.ts';
import type { Fault } from './faults.ts';
import type { Leg, StatusCallback } from './leg.ts';
import type { Phone } from './phones.ts';
import type { Instruction } from './script-context.ts';

/** A call that the account's owner asks for. */
export interface CallRequest {
  readonly to: string;
  readonly from: string;
  readonly instruction: Instruction;
  readonly fallback: Leg['options']['fallback'];
  readonly statusCallback: StatusCallback | null;
  readonly timeoutMs: number;
  readonly timeLimitMs: number;
  readonly sendDigits: string;
  readonly detection:
    | (MachineDetection & { readonly asyncCallback: { readonly url: string; readonly method: 'GET' | 'POST' } | null })
    | null;
  readonly isDetectionAsync: boolean;
}

/** What a request changes of a call. */
export interface CallChange {
  readonly status?: string;
  readonly instruction?: Instruction;
  /** How long the whole call may take. */
  readonly timeLimitMs?: number;
}

export interface InboundCall {
  readonly to: string;
  /** Whose number it is, if several accounts have it. */
  readonly accountSid?: string;
  /** Two digits of the table, or a phone of the caller's own. `01` by default. */
  readonly phone?: string | Phone;
  readonly from?: string;
  readonly language?: string;
  readonly speech?: 'test' | 'voice';
  /** The caller hangs up if nobody has answered by then. */
  readonly giveUpAfterMs?: number;
  readonly faults?: readonly Fault[];
  /** For a number that has none, such as after a restart. */
  readonly voiceUrl?: string;
  readonly statusCallback?: string;
}

/** A request that Twilio would refuse, with its code. */
export class RequestRefused extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
