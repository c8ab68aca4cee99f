import type { CallLatency, Turn } from '../../../sdk/src/index.ts';

export type CallType = 'web' | 'phone' | 'chat';
export type OpenStatus = 'queued' | 'registered' | 'ringing' | 'ongoing';
export type TerminalStatus = 'ended' | 'not_connected' | 'error';
export type CallStatus = OpenStatus | TerminalStatus;
export type StorageSetting = 'everything' | 'everything_except_pii' | 'basic_attributes_only';

export const callTypes: readonly CallType[] = ['chat', 'web', 'phone'];
export const openStatuses: readonly OpenStatus[] = ['ongoing', 'ringing', 'registered', 'queued'];
export const terminalStatuses: readonly TerminalStatus[] = ['ended', 'not_connected', 'error'];

/** Every reason of a stored call, by the status it then has. */
export const endReasonsOf = {
  ended: [
    'caller_hangup',
    'agent_hangup',
    'api_end',
    'silence_timeout',
    'max_duration',
    'caller_disconnected',
    'voicemail',
    'transferred',
  ],
  not_connected: [
    'not_joined',
    'canceled',
    'expired',
    'concurrency_limit',
    'dial_busy',
    'dial_no_answer',
    'dial_declined',
    'dial_failed',
    'invalid_destination',
    'destination_not_allowed',
    'rejected',
  ],
  error: [
    'llm_connect_failed',
    'llm_failed',
    'stt_failed',
    'tts_failed',
    'media_failed',
    'server_restart',
    'internal_error',
    'carrier_failed',
  ],
} as const;
export type EndReason = (typeof endReasonsOf)[TerminalStatus][number];

export type NotAppliedReason =
  | 'not_supported'
  | 'clamped'
  | 'provider_not_configured'
  | 'data_storage_setting'
  | 'not_understood';

export interface UsageEntry {
  readonly capability: 'llm' | 'stt' | 'tts';
  readonly provider: string;
  readonly model: string | null;
  readonly requests: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly audioMs: number;
  readonly characters: number;
}

/** The fields of a call that the dashboard reads. */
export interface Call {
  readonly id: string;
  readonly type: CallType;
  readonly status: CallStatus;
  readonly agentId: string;
  readonly agentVersion: number;
  readonly isDraft: boolean;
  readonly engine: 'flow' | 'prompt' | 'custom_llm' | 'rehearsal' | 'test';
  readonly externalId: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly collectedVariables: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly dataStorageSetting: StorageSetting;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  readonly endReason: EndReason | null;
  readonly endDetail: string | null;
  readonly transcriptStatus: 'none' | 'live' | 'available' | 'not_stored' | 'deleted';
  readonly latency: CallLatency | null;
  readonly usage: { readonly breakdown: readonly UsageEntry[] };
  readonly notApplied: readonly { readonly field: string; readonly reason: NotAppliedReason }[];
}

export interface Transcript {
  readonly turns: readonly Turn[];
}

/** The reply to a message. */
export interface CallReply {
  readonly turns: readonly Turn[];
  readonly status: CallStatus;
}

interface EventData {
  readonly state_changed: {
    readonly from: CallStatus | null;
    readonly to: CallStatus;
    readonly endReason: EndReason | null;
  };
  readonly turn_completed: { readonly turn: Turn };
  readonly speech_started: { readonly role: 'agent' | 'caller'; readonly atMs: number };
  readonly speech_ended: { readonly role: 'agent' | 'caller'; readonly atMs: number };
  readonly agent_interrupted: { readonly role: 'caller' };
  readonly tool_called: { readonly toolCallId: string; readonly name: string };
  readonly tool_returned: {
    readonly toolCallId: string;
    readonly name: string;
    readonly isError: boolean;
    readonly durationMs: number;
  };
  readonly control_applied: { readonly action: string };
  readonly latency_exceeded: { readonly turnIndex: number; readonly e2eMs: number; readonly budgetMs: number };
  readonly provider_switched: {
    readonly capability: 'llm' | 'stt' | 'tts';
    readonly from: string;
    readonly to: string;
  };
  readonly warning: { readonly code: string; readonly message: string };
}

interface EventOf<Type extends keyof EventData> {
  readonly id: string;
  readonly sequence: number;
  readonly at: string;
  readonly offsetMs: number | null;
  readonly type: Type;
  readonly data: EventData[Type];
}

export type CallEvent = { readonly [Type in keyof EventData]: EventOf<Type> }[keyof EventData];

export function isOpen({ status }: Pick<Call, 'status'>): boolean {
  return (openStatuses as readonly string[]).includes(status);
}
