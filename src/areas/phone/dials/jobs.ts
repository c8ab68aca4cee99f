import type { CallEndReason } from '../../../contract/calls/end-reasons.ts';
import type { JobKind } from '../../../jobs/kind.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import type { Queries } from '../../../storage/database.ts';
import type { Dial, LegKey } from './store.ts';

/** What each job needs to know. Everything else is read when it runs. */
export interface LegJob extends LegKey {
  readonly workspaceId: string;
}

/** A leg to hang up. It outlives the row of the leg, whose numbers are removed when the call ends. */
export interface HangUpJob extends LegJob {
  readonly carrierId: string;
  /** Null: the carrier has not confirmed the call. It is looked for with the rest. */
  readonly providerCallId: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly sentAt: number | null;
}

/** A call that the process which owns it was asked to end. */
export interface SettleJob extends LegJob {
  readonly reason: CallEndReason;
  readonly by: 'caller' | 'agent';
}

/** The socket of a call was closed at this time, and the call goes on. */
export interface RejoinJob extends LegJob {
  readonly closedAt: number;
}

type Settings = Omit<JobKind, 'run'>;

/** The kinds of jobs of phone calls. They are small and wait for the carrier, so that many may run at a time. */
const shared = { timeoutMs: 60_000, concurrency: 100, concurrencyPerWorkspace: 50 } as const;

export const legJobs = {
  /** Dials a leg, or looks for one that was sent and not confirmed. */
  dial: { ...shared, name: 'phone.dial', maxAttempts: 20, retryDelaysMs: [1000, 2000, 5000] },
  /** Ends a leg at the carrier. */
  hangUp: {
    ...shared,
    name: 'phone.hang-up',
    isSealed: true,
    // The carrier ends the call by itself at its time limit.
    maxAttempts: 200,
    retryDelaysMs: [1000, 2000, 5000, 10_000, 30_000, 60_000],
  },
  /** Asks the carrier about a leg whose reports are missing. */
  check: { ...shared, name: 'phone.check', maxAttempts: 5, retryDelaysMs: [2000, 5000, 30_000] },
  /** Ends a call whose process did not do so. */
  settle: { ...shared, name: 'phone.settle', maxAttempts: 10, retryDelaysMs: [1000, 5000] },
  /** Tells the carrier how long a leg may last that we did not dial, or that was transferred. */
  limit: { ...shared, name: 'phone.limit', maxAttempts: 10, retryDelaysMs: [2000, 10_000, 60_000] },
  /** Points a call whose socket was lost to the document that connects it again, unless it ends meanwhile: after 30 s. */
  rejoin: { ...shared, name: 'phone.rejoin', maxAttempts: 8, retryDelaysMs: [1000, 2000, 5000] },
} as const satisfies Record<string, Settings>;

export type LegJobs = ReturnType<typeof createLegJobs>;

/** Adds jobs in the caller's transaction. A leg has one of each kind at a time. */
export function createLegJobs(jobs: JobQueue) {
  const keyOf = ({ callId, leg }: LegKey): string => `${callId}/${leg}`;
  const add = async <Payload extends LegJob>(
    queries: Queries,
    kind: (typeof legJobs)[keyof typeof legJobs],
    payload: Payload,
    delayMs = 0,
  ): Promise<void> => {
    const { workspaceId } = payload;
    await jobs.add(queries, kind, { payload, workspaceId, delayMs: Math.max(0, delayMs), dedupeKey: keyOf(payload) });
  };
  const replace: typeof add = async (queries, kind, payload, delayMs) => {
    await jobs.remove(queries, kind, keyOf(payload));
    await add(queries, kind, payload, delayMs);
  };
  const legOf = ({ callId, leg, workspaceId }: LegJob): LegJob => ({ callId, leg, workspaceId });

  return {
    dial: (queries: Queries, leg: LegJob, delayMs?: number) => add(queries, legJobs.dial, legOf(leg), delayMs),
    /** Replaces an earlier one. */
    check: (queries: Queries, leg: LegJob, delayMs: number) => replace(queries, legJobs.check, legOf(leg), delayMs),
    /** Replaces an earlier one. */
    limit: (queries: Queries, leg: LegJob, delayMs: number) => replace(queries, legJobs.limit, legOf(leg), delayMs),
    settle: (queries: Queries, job: SettleJob, delayMs: number) => add(queries, legJobs.settle, job, delayMs),
    /** Replaces the one of an earlier socket. */
    rejoin: (queries: Queries, job: RejoinJob, delayMs: number) => replace(queries, legJobs.rejoin, job, delayMs),
    repeatHangUp: (queries: Queries, job: HangUpJob, delayMs: number) => add(queries, legJobs.hangUp, job, delayMs),

    hangUp: (queries: Queries, dial: Dial): Promise<void> => {
      const { carrierId, providerCallId, sentAt, plan } = dial;
      const { from = null, to = null } = plan ?? {};
      return add(queries, legJobs.hangUp, { ...legOf(dial), carrierId, providerCallId, from, to, sentAt });
    },
    /** The leg is over, or there never was one. */
    cancelHangUp: (queries: Queries, leg: LegKey): Promise<void> => jobs.remove(queries, legJobs.hangUp, keyOf(leg)),
  };
}
