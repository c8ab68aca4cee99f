import type { Agent } from '../../contract/agents/agent.ts';
import type { Call } from '../../contract/calls/call.ts';
import type { CallEndReason } from '../../contract/calls/end-reasons.ts';
import type { Queries } from '../../storage/database.ts';
import type { MediaStream } from '../../voice/transports/media-stream.ts';

export interface InboundCall {
  readonly workspaceId: string;
  /** Chosen before, because the request before answering names it. */
  readonly callId: string;
  readonly phoneNumberId: string;
  readonly carrierId: string;
  readonly provider: string;
  readonly providerCallId: string;
  /** Null: withheld. */
  readonly from: string | null;
  readonly to: string;
  /** Null: refused before its agent was known. */
  readonly agent: { readonly id: string; readonly version: number | 'published' } | null;
  readonly variables: Readonly<Record<string, string | number | boolean | null>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly externalId: string | null;
  /** Set: the call is not connected from the start, for this reason. */
  readonly refusal: { readonly reason: 'rejected' | 'concurrency_limit'; readonly detail: string } | null;
  /** Such as `inbound_request_failed`. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  /** At most so many calls of this carrier at a time; null: no limit. */
  readonly maxConcurrent: number | null;
  /** Records the call although the agent does not ask for it, if storage allows: a test call. */
  readonly isRecorded?: boolean;
}

/** `ringing`: it has a slot. Otherwise it is over, and `detail` says why. */
export type InboundResult =
  | { readonly status: 'ringing'; readonly call: Call; readonly epoch: number }
  | { readonly status: 'not_connected'; readonly call: Call; readonly detail: string };

export interface PhoneEnding {
  readonly reason: CallEndReason;
  readonly by: NonNullable<Call['endedBy']>;
  readonly detail: string | null;
  /** When somebody answered, if that is known. */
  readonly answeredAt?: number | null;
}

export type PhoneMessage =
  | { readonly type: 'answered_by'; readonly by: 'human' | 'machine' | 'fax' | 'unknown' }
  | { readonly type: 'voicemail_beep' }
  | { readonly type: 'transfer'; readonly status: 'completed' | 'failed'; readonly reason: string | null }
  | { readonly type: 'hangup' };

/** What the media document needs to know of an open call. */
export interface JoinablePhoneCall {
  readonly call: Call;
  /** The media token is bound to it, so that it joins once. */
  readonly epoch: number;
  /** Another process owns the call, and its lease has not ended: the carrier asks again. */
  readonly isOwnedElsewhere: boolean;
  /** Its process was lost, and its storage setting forbids to resume it. */
  readonly isLost: boolean;
}

/** The open media socket of a call. What arrives before the call is claimed is kept by the stream. */
export interface CallMedia {
  readonly stream: MediaStream;
  /** The call is over or goes on elsewhere: closes the socket, so that the carrier asks what comes next. */
  close(): void;
}

/** What phone numbers and carriers need of calls. Calls that are over, or of another workspace, are not changed. */
export interface PhoneCalls {
  /** Loads the speech of an agent that may be called, so that its first caller does not wait for it. */
  loadSpeech(agent: Agent): void;
  createInbound(queries: Queries, inbound: InboundCall): Promise<InboundResult>;
  /** The other end rings. */
  ringing(queries: Queries, workspaceId: string, callId: string): Promise<void>;
  /** Resolves to false if the call was over. */
  end(queries: Queries, workspaceId: string, callId: string, ending: PhoneEnding): Promise<boolean>;
  setProviderCallId(queries: Queries, workspaceId: string, callId: string, providerCallId: string): Promise<void>;
  /** What the carrier reports after the end. */
  setBilled(queries: Queries, workspaceId: string, callId: string, billedMs: number): Promise<void>;
  addWarning(queries: Queries, workspaceId: string, callId: string, code: string, message: string): Promise<void>;
  read(workspaceId: string, callId: string): Promise<Call | undefined>;
  /** For a document. A process that has lost the media of the call releases it. */
  find(workspaceId: string, callId: string): Promise<JoinablePhoneCall | undefined>;
  /** Tells the process that owns the call. Nothing happens if none does. */
  tell(workspaceId: string, callId: string, message: PhoneMessage): Promise<void>;
  /**
   * The media of the call has started: this process owns it from now on. Rejects if `epoch` has joined before, or the call
   * is over. Resolves to a function to call once the socket is closed, by either side.
   */
  connect(
    joining: { readonly workspaceId: string; readonly callId: string; readonly epoch: number },
    media: CallMedia,
  ): Promise<() => void>;
}
