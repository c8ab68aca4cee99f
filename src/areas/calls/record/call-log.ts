/** Logs what went wrong in a call and does not end it. */
export type LogCallFailure = (callId: string, what: string, error: unknown) => void;
