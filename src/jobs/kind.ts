/** A job as its handler gets it. */
export interface Job<Payload = unknown> {
  readonly id: string;
  readonly kind: string;
  readonly workspaceId: string | null;
  readonly payload: Payload;
  /** 1 for the first. An attempt whose process was lost counts. */
  readonly attempt: number;
  readonly maxAttempts: number;
}

export interface JobContext {
  /**
   * Aborted when the time is up, when the lease is lost and when the service stops. A handler must end soon after: as
   * long as it has not, the worker keeps the job for itself.
   */
  readonly signal: AbortSignal;
}

/**
 * Work of one kind. A job may run more than once, one run after the other: after a failure, and after a process was lost
 * before it could record the end. So a handler must be able to repeat what it did.
 */
export interface JobKind<Payload = unknown> {
  /** Stored with every job: it must not change while there are any. */
  readonly name: string;
  readonly maxAttempts: number;
  /** The delay before the second attempt, the third, and so on; the last one is for all that follow. Each ±10 %. */
  readonly retryDelaysMs: readonly number[];
  /** For one attempt. */
  readonly timeoutMs: number;
  /** How many run at once in one process. */
  readonly concurrency: number;
  run(job: Job<Payload>, context: JobContext): Promise<void>;
}

const maxNameLength = 100;

/** Refuses what could never work, at the start and not at the first job. */
export function checkKinds(kinds: readonly JobKind[]): void {
  const names = new Set<string>();
  for (const kind of kinds) {
    const { name, maxAttempts, retryDelaysMs, timeoutMs, concurrency } = kind;
    const refuse = (issue: string): never => {
      throw new RangeError(`The job kind "${name}" ${issue}.`);
    };
    if (name === '' || name.length > maxNameLength) refuse(`must have a name of 1 to ${maxNameLength} characters`);
    if (names.has(name)) refuse('is declared twice');
    if (!isCount(maxAttempts)) refuse('needs a whole number of at least 1 for maxAttempts');
    if (!isCount(concurrency)) refuse('needs a whole number of at least 1 for concurrency');
    if (!isDelay(timeoutMs) || timeoutMs === 0) refuse('needs a timeoutMs above 0');
    if (!retryDelaysMs.every(isDelay)) refuse('needs retryDelaysMs of 0 or more');
    if (maxAttempts > 1 && retryDelaysMs.length === 0) refuse('has several attempts, and no delay between them');
    names.add(name);
  }
}

/** As long as a timer can be. */
const maxTimerMs = 2 ** 31 - 1;

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function isDelay(value: number): boolean {
  return value >= 0 && value <= maxTimerMs;
}

/** How long to wait after an attempt that failed. */
export function retryDelayMs({ retryDelaysMs }: JobKind, failedAttempt: number, random: () => number): number {
  const delayMs = retryDelaysMs[Math.min(failedAttempt, retryDelaysMs.length) - 1] ?? 0;
  return Math.round(delayMs * (0.9 + 0.2 * random()));
}
