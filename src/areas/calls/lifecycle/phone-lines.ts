import type { Agent } from '../../../contract/agents/agent.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { Queries } from '../../../storage/database.ts';
import type { PhoneLine } from '../record/phone-line.ts';

export type { PhoneLine } from '../record/phone-line.ts';

export interface OutboundRequest {
  readonly phoneNumberId: string;
  readonly to: string;
  readonly agentId: string;
  readonly ringTimeoutMs: number | undefined;
}

export interface TransferRequest {
  /** The entry of `agentSettings.phone.transfers`; null if the API named a number. */
  readonly name: string | null;
  readonly to: string;
  readonly mode: 'cold' | 'warm';
  /** With the values of variables filled in. */
  readonly brief: string | null;
  readonly extension: string | null;
  readonly ringTimeoutMs: number;
  readonly showCaller: boolean;
}

/** What calls need of phone numbers and carriers. */
export interface PhoneLines {
  /** Checks a new outbound call, and throws the errors of `calls.create`. Locks the carrier's limits. */
  outbound(queries: Queries, workspaceId: string, request: OutboundRequest): Promise<PhoneLine>;
  /** How many calls of the carrier may be open at a time; null: any number. */
  maxConcurrent(queries: Queries, workspaceId: string, carrierId: string): Promise<number | null>;
  /** The call is registered: writes its dial and the job that dials, in the same transaction. */
  dial(queries: Queries, call: Call, line: PhoneLine, agent: Agent): Promise<void>;
  /** Throws `unprocessable` with `fieldErrors.to` if this number may not be dialed in this call. */
  checkTransfer(queries: Queries, call: Call, line: PhoneLine, to: string): Promise<void>;
  /** Moves the caller's leg, or dials a second one. How it ends is told to the call later (`PhoneMessage`). */
  transfer(call: Call, line: PhoneLine, request: TransferRequest): Promise<void>;
  /** The process of the call was lost: points its line here again, unless the carrier asks for it by itself. */
  reconnect(queries: Queries, call: Call): Promise<void>;
  /** The person at the other end does not want to be called again. */
  doNotCall(queries: Queries, call: Call, number: string): Promise<void>;
}

/** What a carrier reports to the process that owns a call. */
export type PhoneMessage =
  | { readonly type: 'answered_by'; readonly by: 'human' | 'machine' | 'fax' | 'unknown' }
  | { readonly type: 'voicemail_beep' }
  | { readonly type: 'transfer'; readonly status: 'completed' | 'failed'; readonly reason: string | null }
  /** The person has hung up. */
  | { readonly type: 'hangup' };
