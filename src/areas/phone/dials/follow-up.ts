import type { Agent } from '../../../contract/agents/agent.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { JobKind } from '../../../jobs/kind.ts';
import type { Database } from '../../../storage/database.ts';
import { callAddresses } from '../addresses.ts';
import type { CarrierStore } from '../carriers/store.ts';
import type { PhoneCalls } from '../phone-calls.ts';
import { maxLegMs, maxTransferredMs } from '../time-limits.ts';
import { type LegJob, legJobs, type RejoinJob, type SettleJob } from './jobs.ts';
import { type LegReport, reportOf } from './reports.ts';
import { answeredRank, callLeg, type Dial, type DialStore, overRank } from './store.ts';

export interface FollowUpParts {
  readonly database: Database;
  readonly dials: DialStore;
  readonly calls: PhoneCalls;
  readonly carriers: CarrierStore;
  /** The agent of a call, if it is known and still exists. */
  readonly agentOf: (call: Call) => Promise<Agent | undefined>;
  readonly apply: (dial: Dial, report: LegReport) => Promise<boolean>;
  /** The leg of a transfer has not been decided in its time. */
  readonly onTransferTimeout: (dial: Dial) => Promise<void>;
  /** Both people of a transfer were connected, and the call is still open. */
  readonly onTransferAccepted: (dial: Dial) => Promise<void>;
}

/** What is done later if the carrier or the process that owns a call did not do it. */
export function createFollowUps(parts: FollowUpParts) {
  const { database, dials, calls, carriers, apply, onTransferTimeout, onTransferAccepted } = parts;

  const ask = async (dial: Dial): Promise<void> => {
    const carrier = await carriers.read(database, dial.workspaceId, dial.carrierId);
    if (carrier === undefined || dial.providerCallId === null) return;
    const call = await (await carriers.client(carrier)).getCall(dial.providerCallId);
    if (call !== null) await apply(dial, reportOf(call));
  };

  const check: JobKind<LegJob> = {
    ...legJobs.check,
    run: async ({ payload }) => {
      const dial = await dials.find(database, payload);
      if (dial === undefined || dial.settledAt !== null) return;
      if (dial.rank < answeredRank) await ask(dial);
      if (dial.transfer === 'started') await onTransferTimeout(dial);
      // Its process was lost after it had connected both people.
      if (dial.transfer === 'accepted') await onTransferAccepted(dial);
    },
  };

  const settle: JobKind<SettleJob> = {
    ...legJobs.settle,
    run: async ({ payload: { workspaceId, callId, reason, by } }) => {
      await database.transaction((queries) => calls.end(queries, workspaceId, callId, { reason, by, detail: null }));
    },
  };

  /** Once: the carrier has not come back by itself after the socket of a call was closed. */
  const rejoin: JobKind<RejoinJob> = {
    ...legJobs.rejoin,
    run: async ({ payload }) => {
      const { callId, workspaceId, closedAt } = payload;
      const legs = await database.transaction((queries) => dials.lockAll(queries, callId));
      const dial = legs.find(({ leg }) => leg === callLeg);
      if (dial === undefined || dial.settledAt !== null || dial.providerCallId === null) return;
      const isElsewhere = legs.some(({ transfer }) => transfer !== null && transfer !== 'failed');
      if ((dial.askedAt ?? 0) > closedAt || isElsewhere) return;
      const carrier = await carriers.read(database, workspaceId, dial.carrierId);
      const base = carrier === undefined ? null : carriers.publicBase(carrier);
      if (carrier === undefined || base === null) return;
      const url = callAddresses(base, dial.carrierId, callId).rejoin;
      const isMoved = await (await carriers.client(carrier)).redirect(dial.providerCallId, { url });
      // The call is over, and its report was lost.
      if (!isMoved) await ask(dial);
    },
  };

  /** Null: the call is over, and its leg is being hung up. */
  const limitOf = async ({ workspaceId, callId, settledAt }: Dial): Promise<number | null> => {
    if (await dials.isTransferred(database, callId)) return maxTransferredMs;
    const call = settledAt === null ? await calls.read(workspaceId, callId) : undefined;
    const agent = call === undefined ? undefined : await parts.agentOf(call);
    return agent === undefined ? null : maxLegMs(agent);
  };

  /** The request that dials a leg has its limit. A leg that we did not dial gets it here, and so does a longer one. */
  const limit: JobKind<LegJob> = {
    ...legJobs.limit,
    run: async ({ payload }) => {
      const dial = await dials.find(database, payload);
      if (dial === undefined || dial.providerCallId === null || dial.rank >= overRank) return;
      const maxDurationMs = await limitOf(dial);
      const carrier = await carriers.read(database, dial.workspaceId, dial.carrierId);
      if (maxDurationMs === null || carrier === undefined) return;
      await (await carriers.client(carrier)).limitDuration(dial.providerCallId, maxDurationMs);
    },
  };

  return { check, settle, rejoin, limit };
}
