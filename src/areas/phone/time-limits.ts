import type { Agent } from '../../contract/agents/agent.ts';

/** The carrier ends a call this much later than we do. */
const spareMs = 30_000;

/** How long the carrier lets a call last, also without us. */
export function maxLegMs({ maxCallDurationMs }: Agent): number {
  return maxCallDurationMs + spareMs;
}

/** Both people of a transfer talk without us: the carrier's own limit. */
export const maxTransferredMs = 4 * 3_600_000;
