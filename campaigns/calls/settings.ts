/** Shorter than a reply of test-slow, so that leases have to be renewed. */
export const leaseMs = 2000;
/** The shortest that an agent can have. */
export const silenceMs = 10_000;
/** A call that nobody writes in any more ends this long after its silence, at most: restarts take time. */
export const slackMs = 12_000;
/** When a message has no final answer, something is stuck. */
export const maxMessageMs = 45_000;
/** Until the job of a killed process is claimed and has run, on a busy machine. */
export const maxJobMs = 60_000;
export const chatsPerSlot = 10;
