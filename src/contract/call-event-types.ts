/** The events of a call that can be sent to the webhook of its agent. */
export const callEventTypes = ['call_started', 'call_ended', 'call_analyzed', 'call_deleted'] as const;
