/** Short: the work of a killed process is taken over within seconds. */
export const leaseMs = 2000;
/** Every document that a job has begun with settles within 5 minutes, however often its process is lost. */
export const maxSettleMs = 360_000;
/** Until what was deleted has left the files: the log is emptied between searches. */
export const maxRemovalMs = 60_000;
/** Until a request that every process can answer has its answer. */
export const maxRequestMs = 300_000;
