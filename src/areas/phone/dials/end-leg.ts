import type { Queries } from '../../../storage/database.ts';
import type { CarrierStore } from '../carriers/store.ts';
import { type Dial, type DialStore, overRank } from './store.ts';

export interface EndLegParts {
  readonly dials: DialStore;
  readonly carriers: CarrierStore;
  readonly now: () => number;
}

/** A leg is over, by its last report. The minutes of one that was dialed count for the day of its carrier. */
export async function endLeg(
  { dials, carriers, now }: EndLegParts,
  queries: Queries,
  dial: Dial,
  { durationSeconds }: { readonly durationSeconds: number | null },
): Promise<void> {
  const at = now();
  if (!(await dials.raiseRank(queries, dial, overRank, at)) || dial.direction === 'inbound') return;
  const measuredMs = dial.answeredAt === null ? 0 : at - dial.answeredAt;
  const durationMs = durationSeconds === null ? measuredMs : durationSeconds * 1000;
  if (durationMs === 0) return;
  await carriers.addUsage(queries, { workspaceId: dial.workspaceId, id: dial.carrierId }, durationMs, at);
}
