/** Short, so that runs of a killed process soon go on in another. */
export const leaseMs = 2000;
/** For the same reason. */
export const retryDelaysMs = [100, 300, 600];
/** How long an attempt may take: the shortest that a workflow can have. */
export const timeoutMs = 1000;
/** Receivers that fail would otherwise take most of the time. */
export const failingPerSecond = 200;
/** Without progress for this long, a run is stuck. */
export const maxQuietMs = 60_000;
/** From the response to a cancellation to the last request of the run, which was on its way. */
export const inFlightMs = 1500;
