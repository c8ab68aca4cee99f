import type { Queries } from '../../../storage/database.ts';
import type { CarrierStore } from '../carriers/store.ts';
import type { PhoneCalls } from '../phone-calls.ts';
import type { LegJobs } from './jobs.ts';
import { callLeg, type Dial, type DialStore } from './store.ts';

export interface ConfirmParts {
  readonly dials: DialStore;
  readonly calls: PhoneCalls;
  readonly carriers: CarrierStore;
  readonly jobs: LegJobs;
}

/** How long after its ring time a leg without reports is asked about. The call's own timer is later. */
const checkAfterMs = 5000;

export type Confirm = ReturnType<typeof createConfirm>;

/**
 * The carrier has the call of a leg, by its response, its list or a signed request. If the call has ended in the
 * meantime, the leg is hung up at once. The call is locked before its legs, everywhere.
 */
export function createConfirm({ dials, calls, carriers, jobs }: ConfirmParts) {
  return async (queries: Queries, dial: Dial, providerCallId: string): Promise<void> => {
    const { workspaceId, callId, carrierId, plan } = dial;
    if (dial.leg === callLeg) await calls.setProviderCallId(queries, workspaceId, callId, providerCallId);
    if (!(await dials.confirm(queries, dial, providerCallId))) return;
    const confirmed = await dials.find(queries, dial);
    if (confirmed === undefined) return;
    if (confirmed.settledAt !== null) {
      await jobs.cancelHangUp(queries, dial);
      await jobs.hangUp(queries, confirmed);
      return;
    }
    if (plan !== null) await jobs.check(queries, dial, plan.ringTimeoutMs + checkAfterMs);
    await carriers.noteOutcome(queries, { workspaceId, id: carrierId }, 'succeeded');
  };
}
