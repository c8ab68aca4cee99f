/** Short, so that deliveries of a killed process are soon sent by another. */
export const leaseMs = 2000;
/** How long an attempt may take. */
export const timeoutMs = 700;
/** Four attempts, for the same reason as below. */
export const retryDelaysMs = [100, 300, 600];
/** Receivers that never work would otherwise take most of the time. */
export const failingPerSecond = 200;
/** Between the arrivals of two events at a receiver, although they were sent in order: connections are set up at once. */
export const arrivalSlackMs = 500;
/** Without progress for this long, a delivery is stuck. */
export const maxQuietMs = 15_000;
