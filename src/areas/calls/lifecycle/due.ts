import type { Agent } from '../../../contract/agents/agent.ts';
import type { PhoneState } from '../conversation/state.ts';
import type { StoredCall } from '../record/call-row.ts';

/** How long a chat or a web call waits for its caller. */
export const joinMs = 120_000;

/** After its process or its connection is lost, the caller of a spoken call may resume it for this long. */
export const resumeMs = 30_000;

/** When an ongoing chat ends by itself: nobody writes, or it has lasted too long. */
export function dueAt(agent: Agent, { call, leaseUntil }: StoredCall, now: number): number {
  const startedAt = call.startedAt === null ? now : Date.parse(call.startedAt);
  // Nobody is silent while a reply is in progress.
  const silentAt = Math.max(now + agent.endCallAfterSilenceMs, leaseUntil ?? 0);
  // The times of an agent may have fractions, which the database does not take.
  return Math.ceil(Math.min(silentAt, startedAt + agent.maxCallDurationMs));
}

/**
 * How long a phone call may take at each step. Together with the longest call and the time to resume it, it is over 300
 * seconds after its longest duration at the latest.
 */
export const dialDeadlines = {
  /** From when it may be dialed until it is answered; it may have to wait for its turn at the carrier. */
  answeredMs: 240_000,
  /** From the carrier's last report, in addition to the ring time: then a report was lost. */
  reportMs: 10_000,
  /** From the answer to an inbound request until its media starts. */
  mediaMs: 15_000,
} as const;

/** When a phone call that rings, or is about to, ends if nothing is reported. */
export function unansweredAt({ line, answerBy }: PhoneState, now: number): number {
  return Math.min(answerBy, now + line.ringTimeoutMs + dialDeadlines.reportMs);
}
