/** What a lost process was doing is free again after this time; the shortest that a busy machine can renew. */
export const leaseMs = 3000;
/** A process that has lost a call notices when it renews its lease, and may still ask a model until then. */
export const maxUnnoticedMs = 2 * leaseMs;
/** Without progress for this long after the last fault, something is stuck. */
export const maxQuietMs = 60_000;
/** How many words a caller says in a call at most. */
export const maxWords = 6;
/** Until a caller says the next word although there was no reply: the one before was lost with its process. */
export const maxReplyMs = 6000;
/** A page that hears nothing of its instance for this long looks for another one. */
export const maxSilentMs = 2500;
/** Until a caller who goes on trying is in the call again; they may do so for 30 s after the end of the lease. */
export const maxResumeMs = 60_000;
