import type { Call } from '../../../../contract/calls/call.ts';
import type { Turn } from '../../../../contract/calls/turn.ts';
import { upstreamError } from '../../../../core/errors.ts';
import { HeldLeases } from '../../../../jobs/held-leases.ts';
import type { Queries } from '../../../../storage/database.ts';
import { isTerminal } from '../../record/call.ts';
import type { LockedCall } from '../../record/locked-call.ts';
import { ownersOf } from '../../record/open-calls.ts';
import { isSealed } from '../../record/storage-setting.ts';
import type { CallStore, ReplyLease } from '../../record/store.ts';
import type { ChatOutcome, ChatSession } from './chat-session.ts';
import {
  type ChatParts,
  type ReplyListener,
  type ReplyTask,
  RunningReply,
  replyInProgress,
  type Settled,
} from './running-reply.ts';

/** Makes the last transaction: calls `settle` with its queries, which writes everything that is outstanding. */
export type FinishReply<Result> = (
  settle: (queries: Queries) => Promise<Settled>,
  outcome: ChatOutcome,
) => Promise<Result>;

/** A reply in progress in this process. */
interface RunningChat extends ReplyLease {
  readonly session: ChatSession;
  readonly startedAt: number;
}

/** Most replies are over before it is worth looking. */
const newMs = 500;

export type Chats = ReturnType<typeof createChats>;

/** Carries out replies in chats. A chat has no owner between two messages: any process can continue it. */
export function createChats(parts: ChatParts) {
  const { database, store, prepare } = parts;
  const chats = new Map<string, RunningChat>();
  /** A name of this process for its leases. */
  const processName = parts.newId('own');
  let replies = 0;
  const leases = new HeldLeases<ReplyLease>({
    leaseMs: parts.leaseMs,
    renew: async (held) => {
      const leaseUntil = parts.now() + parts.leaseMs;
      const byWorkspace = Map.groupBy(held, ({ workspaceId }) => workspaceId);
      await Promise.all(byWorkspace.entries().map(([id, group]) => store.renewLeases(id, group, leaseUntil)));
      return new Set(held);
    },
    // `stopLost` finds out sooner, and the last transaction in any case, also if the lease could not be renewed.
    onLost: () => {},
    onError: () => {},
  });

  return {
    /**
     * Takes the call for a reply. Others get 409 until it is released, or the lease has expired. `resumed` is the owner of
     * a reply that this one continues: its claim on the Idempotency-Key has expired, so its lease does not count.
     */
    lease: (locked: LockedCall, resumed: string | null = null): void => {
      const { leaseUntil, ownerEpoch, owner } = locked.row;
      const leftMs = owner === null || owner === resumed ? 0 : (leaseUntil ?? 0) - locked.now;
      // Another process may have ended, which nobody can tell before its lease expires.
      const retryAfterSeconds = owner?.startsWith(processName) ? 1 : Math.ceil(leftMs / 1000);
      if (leftMs > 0) throw replyInProgress(locked.call.status, retryAfterSeconds);
      replies += 1;
      locked.set({
        owner: `${processName}.${replies}`,
        ownerEpoch: ownerEpoch + 1,
        leaseUntil: locked.now + parts.leaseMs,
      });
    },

    /** The call has ended: a reply in progress in this process stops at once. */
    stop: (callId: string): void => {
      chats.get(callId)?.session.cancel();
      parts.customLlm.closeChat(callId);
    },

    /** Stops replies in calls that another process has ended, or taken over. */
    stopLost: async (): Promise<void> => {
      const since = performance.now() - newMs;
      const running = [...chats.values()].filter(({ startedAt }) => startedAt < since);
      for (const [workspaceId, group] of Map.groupBy(running, (chat) => chat.workspaceId)) {
        const owners = await ownersOf(
          database,
          workspaceId,
          group.map(({ callId }) => callId),
        );
        for (const chat of group) {
          if (owners.get(chat.callId) === chat.owner || chats.get(chat.callId) !== chat) continue;
          chat.session.cancel();
          parts.customLlm.closeChat(chat.callId);
        }
      }
    },

    reply: async <Result>(task: ReplyTask, listener: ReplyListener, finish: FinishReply<Result>): Promise<Result> => {
      const { call, agentDigest } = task.stored;
      const lease = { workspaceId: call.workspaceId, callId: call.id, owner: task.stored.owner as string };
      leases.hold(lease);
      let reply: RunningReply | undefined;
      let chat: RunningChat | undefined;
      let hasEnded = false;
      try {
        const prepared = await prepare(call.workspaceId, agentDigest);
        const history = await historyOf(store, task, prepared.needsHistory);
        const running = new RunningReply(parts, task, prepared, history, listener);
        reply = running;
        chat = { ...lease, session: running.chat, startedAt: performance.now() };
        chats.set(call.id, chat);
        const outcome = await running.run((effect) => database.transaction(effect));
        hasEnded = outcome.end !== null;
        return await finish((queries) => running.settle(queries, outcome), outcome);
      } catch (error) {
        // A reply that failed has released the call already. If this fails too, the lease expires.
        await store.releaseLease(lease).catch(() => {});
        throw error;
      } finally {
        leases.release(lease);
        reply?.close();
        if (hasEnded) parts.customLlm.closeChat(call.id);
        if (chats.get(call.id) === chat) chats.delete(call.id);
      }
    },
  };
}

/** In full, for the engine. */
async function historyOf(store: CallStore, { stored, state }: ReplyTask, isNeeded: boolean): Promise<readonly Turn[]> {
  if (isSealed(stored.call.dataStorageSetting)) return state.history;
  return isNeeded && stored.nextTurn > 0 ? store.turns(stored.call.id) : [];
}

/** The reply failed: 502. A retry helps neither in a call that is over nor with what the provider rejects. */
export function replyFailed({ engine, ...call }: Pick<Call, 'engine' | 'status'>, detail: string) {
  const code = /^HTTP (\d{3})/.exec(detail)?.[1] ?? null;
  const isRejected = code?.startsWith('4') === true && !['408', '409', '429'].includes(code);
  const provider = engine === 'test' || engine === 'custom_llm' ? engine : 'llm';
  return upstreamError(provider, code, !isRejected && !isTerminal(call));
}
