/** How a call ended, by the status it then has. */
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

/** Every end reason of a stored call. The set is closed, so that a program can switch on it. */
export const callEndReasons = [...endReasonsOf.ended, ...endReasonsOf.not_connected, ...endReasonsOf.error] as const;
export type CallEndReason = (typeof callEndReasons)[number];

/** Why a conversation ended. */
export const endReasons = [
  'caller_hangup',
  'agent_hangup',
  'api_end',
  'silence_timeout',
  'max_duration',
  'caller_disconnected',
  'voicemail',
  'transferred',
  'llm_connect_failed',
  'llm_failed',
  'stt_failed',
  'tts_failed',
  'internal_error',
] as const satisfies readonly CallEndReason[];
export type EndReason = (typeof endReasons)[number];
