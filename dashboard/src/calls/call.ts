import type { Call } from '../../../sdk/src/index.ts';

export type CallType = Call['type'];
export type CallStatus = Call['status'];
export type TerminalStatus = Extract<CallStatus, 'ended' | 'not_connected' | 'error'>;
export type EndReason = NonNullable<Call['endReason']>;
export type StorageSetting = Call['dataStorageSetting'];
export type NotAppliedReason = Call['notApplied'][number]['reason'];
export type UsageEntry = Call['usage']['breakdown'][number];

export const callTypes: readonly CallType[] = ['chat', 'web', 'phone'];
export const openStatuses: readonly Exclude<CallStatus, TerminalStatus>[] = [
  'ongoing',
  'ringing',
  'registered',
  'queued',
];
export const terminalStatuses: readonly TerminalStatus[] = ['ended', 'not_connected', 'error'];

/** Every reason, by the status that the call then has. */
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
} as const satisfies Record<TerminalStatus, readonly EndReason[]>;

export function isOpen({ status }: Pick<Call, 'status'>): boolean {
  return (openStatuses as readonly string[]).includes(status);
}

/** Whether the agent only repeats what it hears, because what its replies come from is not connected. */
export function isRehearsed({ notApplied }: Pick<Call, 'notApplied'>): boolean {
  return notApplied.some(({ field }) => field === 'responseEngine');
}
