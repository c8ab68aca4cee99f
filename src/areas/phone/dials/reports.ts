import type { Database } from '../../../storage/database.ts';
import type { CallReport, CarrierCall } from '../../../voice/carriers/carrier.ts';
import { endOf, ranks } from '../../../voice/carriers/twilio/codes.ts';
import type { CarrierStore } from '../carriers/store.ts';
import type { PhoneCalls, PhoneEnding } from '../phone-calls.ts';
import type { Confirm } from './confirm.ts';
import { endLeg } from './end-leg.ts';
import type { LegJobs } from './jobs.ts';
import { callLeg, type Dial, type DialStore, overRank } from './store.ts';

export type LegReport = Omit<CallReport, 'parentCallId'>;

export interface ReportParts {
  readonly database: Database;
  readonly dials: DialStore;
  readonly carriers: CarrierStore;
  readonly calls: PhoneCalls;
  /** Tells the process that owns a call, if one does; never throws. */
  readonly tell: PhoneCalls['tell'];
  readonly jobs: LegJobs;
  readonly confirm: Confirm;
  /** A report of the leg of a transfer that raised its rank. */
  readonly onTransferReport: (dial: Dial, report: LegReport) => Promise<void>;
  readonly now: () => number;
}

/** How long the process that owns a call may take to end it. */
export const settleMs = 5000;

export type Reports = ReturnType<typeof createReports>;

/** Reports arrive late, twice and out of order: one that does not raise the rank of its leg changes nothing. */
export function createReports(parts: ReportParts) {
  const { database, dials, calls, tell, jobs, confirm, onTransferReport, now } = parts;

  /** False if the request is about another call at the carrier. */
  const link = async (dial: Dial, providerCallId: string): Promise<boolean> => {
    if (dial.providerCallId === null) await database.transaction((queries) => confirm(queries, dial, providerCallId));
    return (dial.providerCallId ?? providerCallId) === providerCallId;
  };

  const end = async (dial: Dial, report: LegReport): Promise<void> => {
    const { workspaceId, callId } = dial;
    const isOngoing = (await calls.read(workspaceId, callId))?.status === 'ongoing';
    const isTransferred = isOngoing && (await dials.isTransferred(database, callId));
    const settled = isTransferred
      ? ({ reason: 'transferred', by: 'agent' } as const)
      : ({ reason: 'caller_hangup', by: 'caller' } as const);
    await database.transaction(async (queries) => {
      if (isOngoing) await jobs.settle(queries, { callId, leg: callLeg, workspaceId, ...settled }, settleMs);
      else await calls.end(queries, workspaceId, callId, endingOf(dial, report));
      await endLeg(parts, queries, dial, report);
      await jobs.cancelHangUp(queries, dial);
    });
    // The process that owns the call has words that are not stored yet.
    if (isOngoing && !isTransferred) await tell(workspaceId, callId, { type: 'hangup' });
  };

  const applyRaised = async (dial: Dial, report: LegReport): Promise<void> => {
    if (report.rank === overRank) return end(dial, report);
    await database.transaction(async (queries) => {
      const { workspaceId, callId } = dial;
      if (report.state === 'ringing' && dial.direction === 'outbound')
        await calls.ringing(queries, workspaceId, callId);
      await dials.raiseRank(queries, dial, report.rank, now());
    });
  };

  const bill = async ({ workspaceId, callId }: Dial, seconds: number): Promise<void> => {
    const billedMs = seconds * 1000;
    const { usage } = (await calls.read(workspaceId, callId)) ?? {};
    if (usage === undefined || usage.carrier.billedMs === billedMs) return;
    await database.transaction((queries) => calls.setBilled(queries, workspaceId, callId, billedMs));
  };

  return {
    link,

    /** False if the report is about another call at the carrier. */
    apply: async (dial: Dial, report: LegReport): Promise<boolean> => {
      if (!(await link(dial, report.providerCallId))) return false;
      if (report.rank > dial.rank)
        await (dial.leg === callLeg ? applyRaised(dial, report) : onTransferReport(dial, report));
      const isBilled = report.rank === overRank && report.durationSeconds !== null;
      if (isBilled && dial.leg === callLeg) await bill(dial, report.durationSeconds ?? 0);
      return true;
    },
  };
}

function endingOf({ direction, answeredAt }: Dial, { endReason, detail }: LegReport): PhoneEnding {
  // The caller gave up before the agent answered.
  if (direction === 'inbound') return { reason: 'canceled', by: 'caller', detail: null };
  if (endReason === 'caller_hangup') return { reason: endReason, by: 'caller', detail: null, answeredAt };
  return { reason: endReason ?? 'dial_failed', by: 'system', detail };
}

/** What the carrier says when it is asked, as a report. */
export function reportOf({ providerCallId, state, durationSeconds }: CarrierCall): LegReport {
  return { providerCallId, state, rank: ranks[state], ...endOf(state), durationSeconds };
}
