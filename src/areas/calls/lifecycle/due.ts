import type { Agent } from '../../../contract/agents/agent.ts';
import type { StoredCall } from '../record/call-row.ts';

/** After its process or its connection is lost, the caller of a web call may resume it for this long. */
export const resumeMs = 30_000;

/** When an ongoing chat ends by itself: nobody writes, or it has lasted too long. */
export function dueAt(agent: Agent, { call, leaseUntil }: StoredCall, now: number): number {
  const startedAt = call.startedAt === null ? now : Date.parse(call.startedAt);
  // Nobody is silent while a reply is in progress.
  const silentAt = Math.max(now + agent.endCallAfterSilenceMs, leaseUntil ?? 0);
  // The times of an agent may have fractions, which the database does not take.
  return Math.ceil(Math.min(silentAt, startedAt + agent.maxCallDurationMs));
}
