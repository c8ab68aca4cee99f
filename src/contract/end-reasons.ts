/** Why a call ended. */
export const endReasons = [
  'caller_hangup',
  'agent_hangup',
  'api_end',
  'silence_timeout',
  'max_duration',
  'caller_disconnected',
  'llm_connect_failed',
  'llm_failed',
  'stt_failed',
  'tts_failed',
  'internal_error',
] as const;
export type EndReason = (typeof endReasons)[number];
