import type { Turn } from '../../../../contract/calls/turn.ts';
import { OwnedLeases } from '../../../../jobs/owned-leases.ts';
import type { LockedCall } from '../../record/locked-call.ts';
import { isSealed } from '../../record/storage-setting.ts';
import type { CallStore } from '../../record/store.ts';
import { createReplyLeases, type ReplyLease } from './reply-leases.ts';
import {
  type ChatParts,
  leaseOf,
  type ReplyListener,
  type ReplyTask,
  RunningReply,
  replyInProgress,
} from './running-reply.ts';

/** A reply in progress in this process. */
interface OpenReply {
  readonly reply: RunningReply;
  readonly startedAt: number;
}

/** Most replies are over before it is worth looking. */
const newMs = 500;

export type Chats = ReturnType<typeof createChats>;

/** The replies of this process in chats. A chat has no owner between two messages: any process can continue it. */
export function createChats(parts: ChatParts) {
  const { store, prepare } = parts;
  const open = new Map<string, OpenReply>();
  /** A name of this process for its leases. */
  const processName = parts.newId('own');
  let replies = 0;
  const leaseRows = createReplyLeases(parts.database);
  const leases = new OwnedLeases<ReplyLease>({
    leaseMs: parts.leaseMs,
    renew: async (owned) => {
      const leaseUntil = parts.now() + parts.leaseMs;
      const byWorkspace = Map.groupBy(owned, ({ workspaceId }) => workspaceId);
      await Promise.all(byWorkspace.entries().map(([id, group]) => leaseRows.renew(id, group, leaseUntil)));
      return new Set(owned);
    },
    // Nothing to do: `stopLost` stops the reply, or the final transaction checks the lease.
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

    /** Begins the reply for which the call was leased. The caller must close it. */
    open: async (task: ReplyTask, listener: ReplyListener): Promise<RunningReply> => {
      const { call, agentDigest } = task.stored;
      try {
        const prepared = await prepare(call.workspaceId, agentDigest);
        const history = await historyOf(store, task, prepared.needsHistory);
        const reply = new RunningReply(parts, task, prepared, history, listener);
        leases.add(reply.lease);
        open.set(call.id, { reply, startedAt: performance.now() });
        return reply;
      } catch (error) {
        await leaseRows.release(leaseOf(task)).catch(() => {});
        throw error;
      }
    },

    close: async (reply: RunningReply): Promise<void> => {
      leases.release(reply.lease);
      if (open.get(reply.lease.callId)?.reply === reply) open.delete(reply.lease.callId);
      reply.close();
      // If this fails, too, the lease expires.
      if (!reply.isReleased) await leaseRows.release(reply.lease).catch(() => {});
    },

    /** The call has ended: a reply in progress in this process stops at once. */
    stop: (callId: string): void => {
      open.get(callId)?.reply.cancel();
      parts.customLlm.disconnect(callId);
    },

    /** Stops replies in calls that another process has ended, or taken over. */
    stopLost: async (): Promise<void> => {
      const since = performance.now() - newMs;
      const running = [...open.values()].filter(({ startedAt }) => startedAt < since);
      for (const [workspaceId, group] of Map.groupBy(running, ({ reply }) => reply.lease.workspaceId)) {
        const owners = await leaseRows.ownersOf(
          workspaceId,
          group.map(({ reply }) => reply.lease.callId),
        );
        for (const chat of group) {
          const { callId, owner } = chat.reply.lease;
          if (owners.get(callId) !== owner && open.get(callId) === chat) chat.reply.cancel();
        }
      }
    },
  };
}

/** In full, for the engine. */
async function historyOf(store: CallStore, { stored, state }: ReplyTask, isNeeded: boolean): Promise<readonly Turn[]> {
  if (isSealed(stored.call.dataStorageSetting)) return state.history;
  return isNeeded && stored.nextTurn > 0 ? store.turns(stored.call.id) : [];
}
