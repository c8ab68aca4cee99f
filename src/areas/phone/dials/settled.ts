import type { Queries } from '../../../storage/database.ts';
import type { SettledCall } from '../../area.ts';
import type { LegJobs } from './jobs.ts';
import { type Dial, type DialStore, overRank } from './store.ts';

export interface SettledParts {
  readonly dials: DialStore;
  readonly jobs: LegJobs;
  readonly now: () => number;
}

/** Runs in every transaction that ends a call: legs that may be open are hung up, and the numbers are removed. */
export function createOnCallSettled({ dials, jobs, now }: SettledParts) {
  return async (queries: Queries, { what, call }: SettledCall): Promise<void> => {
    if (call.type !== 'phone') return;
    if (what === 'deleted') await dials.remove(queries, call.id);
    if (what !== 'ended') return;
    // The people who were connected by a transfer go on without us.
    if (call.endReason !== 'transferred') {
      const legs = await dials.lockAll(queries, call.id);
      for (const leg of legs) if (mayBeOpen(leg)) await jobs.hangUp(queries, leg);
    }
    await dials.settle(queries, call.id, now());
  };
}

/** The carrier itself dials the leg of a cold transfer, and ends it together with that of the call. */
export function mayBeOpen({ mode, rank, state }: Dial): boolean {
  return mode !== 'cold' && rank < overRank && (state === 'sent' || state === 'confirmed');
}
