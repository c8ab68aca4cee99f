import type { Agent } from '../../../../contract/agents/agent.ts';
import type { Call } from '../../../../contract/calls/call.ts';
import { type CallEndReason, endReasonsOf } from '../../../../contract/calls/end-reasons.ts';
import { notFound } from '../../../../core/errors.ts';
import type { Queries } from '../../../../storage/database.ts';
import type { CostOf, OnCallSettled } from '../../../area.ts';
import { channelOf } from '../../conversation/channel.ts';
import { phoneStateOf, setEarlierConversation } from '../../conversation/state.ts';
import type { CreateParts } from '../../lifecycle/create.ts';
import { unansweredAt } from '../../lifecycle/due.ts';
import { createInbound, type InboundCall } from '../../lifecycle/inbound.ts';
import type { PhoneMessage } from '../../lifecycle/phone-lines.ts';
import { isTerminal } from '../../record/call.ts';
import type { Journal } from '../../record/journal.ts';
import type { LockedCall } from '../../record/locked-call.ts';
import { isSealed } from '../../record/storage-setting.ts';
import type { CallStore } from '../../record/store.ts';
import type { OwnedCalls } from '../audio/owned-calls.ts';
import { type Joining, notJoinable } from '../audio/ownership.ts';
import { type CallMedia, PhoneConnection } from './phone-connection.ts';

export interface PhoneCallParts {
  readonly store: CallStore;
  readonly journal: Journal;
  readonly create: CreateParts;
  readonly calls: Pick<OwnedCalls, 'join' | 'tell' | 'isKeptElsewhere'>;
  readonly loadSpeech: (agent: Agent) => void;
  readonly costOf: CostOf;
  readonly onSettled: OnCallSettled;
  readonly now: () => number;
}

export interface PhoneEnding {
  readonly reason: CallEndReason;
  readonly by: NonNullable<Call['endedBy']>;
  readonly detail: string | null;
  /** When somebody answered, if that is known. */
  readonly answeredAt?: number | null;
}

/** What the media document needs to know of an open call. */
export interface JoinablePhoneCall {
  readonly call: Call;
  /** The media token is bound to it, so that it joins once. */
  readonly epoch: number;
  /** Another process owns the call, and its lease has not ended: the carrier asks again. */
  readonly isOwnedElsewhere: boolean;
  /** Its process was lost, and its storage setting forbids to resume it. */
  readonly isLost: boolean;
}

/** The media of a call joins with the epoch that its token was issued for, once. */
interface MediaJoining {
  readonly workspaceId: string;
  readonly callId: string;
  readonly epoch: number;
}

export type PhoneCalls = ReturnType<typeof createPhoneCalls>;

/** What phone numbers and carriers need of calls. Calls that are over, or of another workspace, are not changed. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createPhoneCalls({
  store,
  journal,
  create,
  calls,
  loadSpeech,
  costOf,
  onSettled,
  now,
}: PhoneCallParts) {
  /** Undefined unless it is a phone call of this workspace. */
  const lock = async (queries: Queries, workspaceId: string, callId: string): Promise<LockedCall | undefined> => {
    const locked = await journal.lock(queries, workspaceId, callId);
    return locked !== undefined && channelOf(locked.call).needsCarrier ? locked : undefined;
  };

  /** Changes a call that is open. */
  const change = async (
    queries: Queries,
    workspaceId: string,
    callId: string,
    apply: (locked: LockedCall) => void,
  ): Promise<void> => {
    const locked = await lock(queries, workspaceId, callId);
    if (locked === undefined || isTerminal(locked.call)) return;
    apply(locked);
    await journal.write(queries, locked);
  };

  /** After each report, the next one has time again. */
  const awaitReport = (locked: LockedCall): void => {
    const phone = phoneStateOf(locked);
    if (phone !== null && locked.call.status !== 'ongoing') locked.set({ dueAt: unansweredAt(phone, locked.now) });
  };

  return {
    loadSpeech,

    createInbound: (queries: Queries, inbound: InboundCall) => createInbound(create, queries, inbound),

    /** The other end rings. */
    ringing: (queries: Queries, workspaceId: string, callId: string): Promise<void> =>
      change(queries, workspaceId, callId, (locked) => {
        if (locked.call.status !== 'registered') return;
        locked.ring();
        awaitReport(locked);
      }),

    /** Resolves to false if the call was over. */
    end: async (queries: Queries, workspaceId: string, callId: string, ending: PhoneEnding): Promise<boolean> => {
      const locked = await lock(queries, workspaceId, callId);
      if (locked === undefined || isTerminal(locked.call)) return false;
      const { answeredAt, ...end } = ending;
      // Somebody answered, and hung up before the media started.
      const wasAnswered = (endReasonsOf.ended as readonly string[]).includes(end.reason);
      if (wasAnswered && locked.call.status !== 'ongoing') locked.connect(answeredAt ?? locked.now);
      setEarlierConversation(locked);
      await journal.end(queries, locked, { ...end, at: locked.now });
      return true;
    },

    /** The carrier has confirmed the call: from now on it rings for its time, even if nothing is reported. */
    setProviderCallId: (queries: Queries, workspaceId: string, callId: string, providerCallId: string): Promise<void> =>
      change(queries, workspaceId, callId, (locked) => {
        if (locked.call.providerCallId !== null) return;
        locked.setCall({ providerCallId });
        awaitReport(locked);
      }),

    /** What the carrier reports after the end. */
    setBilled: async (queries: Queries, workspaceId: string, callId: string, billedMs: number): Promise<void> => {
      const locked = await lock(queries, workspaceId, callId);
      if (locked === undefined || locked.call.usage.carrier.billedMs === billedMs) return;
      const { usage } = locked.call;
      locked.setCall({ usage: { ...usage, carrier: { ...usage.carrier, billedMs } } });
      if (isTerminal(locked.call)) {
        locked.setCall({ cost: await costOf(queries, locked.call) });
        await onSettled(queries, { what: 'changed', call: locked.call });
      }
      await journal.write(queries, locked);
    },

    addWarning: (queries: Queries, workspaceId: string, callId: string, code: string, message: string): Promise<void> =>
      change(queries, workspaceId, callId, (locked) => void locked.addEvent('warning', { code, message })),

    read: async (workspaceId: string, callId: string): Promise<Call | undefined> => {
      const found = await store.find(workspaceId, callId);
      return found !== undefined && channelOf(found.call).needsCarrier ? found.call : undefined;
    },

    find: async (workspaceId: string, callId: string): Promise<JoinablePhoneCall | undefined> => {
      const first = await store.find(workspaceId, callId);
      if (first === undefined || !channelOf(first.call).needsCarrier) return undefined;
      const isOwnedElsewhere = await calls.isKeptElsewhere(first);
      // Its process may just have released it.
      const found = first.owner === null || isOwnedElsewhere ? first : await store.find(workspaceId, callId);
      if (found === undefined) return undefined;
      const { call, ownerEpoch, owner, leaseUntil } = found;
      const isOwnerLost = call.status === 'ongoing' && owner !== null && (leaseUntil ?? 0) <= now();
      return {
        call,
        epoch: ownerEpoch,
        isOwnedElsewhere,
        isLost: isOwnerLost && isSealed(call.dataStorageSetting),
      };
    },

    /** Tells the process that owns the call. Nothing happens if none does. */
    tell: async (workspaceId: string, callId: string, message: PhoneMessage): Promise<void> => {
      const found = await store.find(workspaceId, callId);
      if (found?.call.status === 'ongoing') await calls.tell(found, message);
    },

    connect: async (joining: MediaJoining, media: CallMedia): Promise<() => void> => {
      const call = await calls.join(joiningOf(joining));
      const connection = new PhoneConnection(call, media);
      call.attach(connection);
      void connection.start();
      return () => connection.closed();
    },
  };
}

function joiningOf({ workspaceId, callId, epoch }: MediaJoining): Joining {
  return {
    workspaceId,
    callId,
    resumesEpoch: null,
    authorize: (locked) => {
      const { call, row } = locked;
      if (!channelOf(call).needsCarrier) throw notFound('call');
      if (isTerminal(call) || call.status === 'queued') throw notJoinable(locked, null);
      // Another connection has joined with this token, or since.
      if (row.ownerEpoch !== epoch) throw notJoinable(locked, 'joined_elsewhere');
    },
  };
}
