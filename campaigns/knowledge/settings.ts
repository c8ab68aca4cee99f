/** Short: the work of a killed process is taken over within seconds. */
export const leaseMs = 2000;
/** Until every document has settled after the last kill, on a busy machine: leases, retries and the work itself. */
export const maxSettleMs = 120_000;
/** Until what was deleted has left the files: the log is emptied between searches. */
export const maxRemovalMs = 60_000;
/** Until a request that every process can answer has its answer. */
export const maxRequestMs = 60_000;
