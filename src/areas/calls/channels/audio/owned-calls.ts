import type { Call } from '../../../../contract/calls/call.ts';
import type { ControlCall } from '../../../../contract/calls/requests.ts';
import type { Turn } from '../../../../contract/calls/turn.ts';
import { serviceUnavailable, stateConflict } from '../../../../core/errors.ts';
import { OwnedLeases } from '../../../../jobs/owned-leases.ts';
import type { PreparedAgents } from '../../conversation/prepared-agents.ts';
import { addReplyTimes, noReplies } from '../../conversation/reply-times.ts';
import type { PhoneMessage } from '../../lifecycle/phone-lines.ts';
import type { StoredCall } from '../../record/call-row.ts';
import { isSealed } from '../../record/storage-setting.ts';
import type { CallStore } from '../../record/store.ts';
import type { Commands } from './commands.ts';
import { OwnedCall, type OwnedCallParts } from './owned-call.ts';
import { type Claim, claimCall, createOwnerStore, type Joining, type OwnerParts } from './ownership.ts';

export interface OwnedCallsParts extends Omit<OwnedCallParts, 'onGone'>, OwnerParts {
  readonly store: CallStore;
  readonly prepare: PreparedAgents;
  readonly commands: Commands;
  readonly delay: (ms: number) => Promise<void>;
  /** How many calls this process has now. */
  readonly onCount: (count: number) => void;
  readonly logUnrenewed: (error: Error) => void;
}

/** A request to the process that has a call. */
type Command =
  | { readonly type: 'end'; readonly callId: string; readonly reason: 'caller_hangup' | 'api_end' }
  | { readonly type: 'control'; readonly callId: string; readonly body: ControlCall }
  /** `ifDisconnected`: unless the caller is connected. */
  | { readonly type: 'handover'; readonly callId: string; readonly ifDisconnected?: boolean }
  | { readonly type: 'tell'; readonly callId: string; readonly message: PhoneMessage };

/** How long the process that owns a call may take to answer that it releases it, and to do so. */
const maxHandoverMs = 2000;
const handoverStepMs = 50;

export type OwnedCalls = ReturnType<typeof createOwnedCalls>;

/** The spoken calls that this process owns, and the way to those of others. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createOwnedCalls(parts: OwnedCallsParts) {
  const { store, database, owner, commands, now, logFailure } = parts;
  const ownerStore = createOwnerStore(database);
  const calls = new Map<string, OwnedCall>();
  /** Two clients that join the same call at the same time do so one after the other. */
  const joins = new Map<string, Promise<unknown>>();

  /** Calls that another process has, or has ended, are left. A call goes on while its lease cannot be renewed. */
  const leases = new OwnedLeases<OwnedCall>({
    leaseMs: parts.leaseMs,
    renew: async (owned) => {
      const ids = owned.map(({ id }) => id);
      const kept = await ownerStore.renewLeases(owner, ids, now() + parts.leaseMs);
      return new Set(owned.filter(({ id }) => kept.has(id)));
    },
    onLost: (live) =>
      void isOver(live).then(
        (isEnded) => live.close(isEnded),
        () => leases.add(live),
      ),
    onError: parts.logUnrenewed,
  });

  const oneByOne = <Result>(callId: string, work: () => Promise<Result>): Promise<Result> => {
    const result = (joins.get(callId) ?? Promise.resolve()).then(work);
    const settled = result
      .catch(() => {})
      .then(() => {
        if (joins.get(callId) === settled) joins.delete(callId);
      });
    joins.set(callId, settled);
    return result;
  };

  const claim = async (joining: Joining): Promise<Claim> => {
    const known = calls.get(joining.callId);
    const transaction = () => database.transaction((queries) => claimCall(parts, queries, joining, known));
    if (known === undefined) return transaction();
    const { claimed } = await known.reclaim(async () => {
      const claimed = await transaction();
      return { claimed, epoch: claimed.kind === 'taken' && claimed.wasOurs ? claimed.stored.ownerEpoch : null };
    });
    return claimed;
  };

  /** Asks the process that owns the call to release it, and claims it then. */
  const takeOver = async (joining: Joining, stored: StoredCall): Promise<Claim> => {
    const { callId } = joining;
    let refusal: unknown = null;
    const command: Command = { type: 'handover', callId };
    commands.send(stored.owner as string, command, maxHandoverMs).catch((error) => {
      refusal = error;
    });
    for (let waitedMs = 0; waitedMs < 2 * maxHandoverMs; waitedMs += handoverStepMs) {
      await parts.delay(handoverStepMs);
      if (refusal !== null) throw refusal;
      const claimed = await claim(joining);
      if (claimed.kind === 'taken') return claimed;
      if (claimed.stored.ownerEpoch !== stored.ownerEpoch) throw joinedElsewhere(stored.call);
    }
    throw serviceUnavailable('The process that owns the call does not respond.');
  };

  const open = async ({ stored, state }: Extract<Claim, { kind: 'taken' }>): Promise<OwnedCall> => {
    const { call, agentDigest, nextTurn } = stored;
    const prepared = await parts.prepare(call.workspaceId, agentDigest);
    const isNew = nextTurn === 0;
    const isInState = isSealed(call.dataStorageSetting);
    const history: readonly Turn[] = isInState ? state.history : isNew ? [] : await store.turns(call.id);
    const replyTimes = isNew ? noReplies : addReplyTimes(noReplies, await ownerStore.turnLatencies(call.id));
    const live = new OwnedCall(
      {
        ...parts,
        onGone: (gone) => {
          leases.release(gone);
          if (calls.get(gone.id) === gone) calls.delete(gone.id);
          parts.onCount(calls.size);
        },
      },
      { stored, state, prepared, history, replyTimes },
    );
    calls.set(call.id, live);
    leases.add(live);
    parts.onCount(calls.size);
    return live;
  };

  const answer = async (command: Command): Promise<unknown> => {
    const live = calls.get(command.callId);
    if (live === undefined) throw serviceUnavailable('The call is continued by another process.');
    switch (command.type) {
      case 'end':
        return live.end(command.reason);
      case 'control':
        return live.control(command.body);
      case 'tell':
        return live.tell(command.message);
      case 'handover':
        if (command.ifDisconnected === true && live.isConnected) throw serviceUnavailable('The caller is connected.');
        if (live.isToolRunning) throw serviceUnavailable('A tool of the call is running.');
        await live.release('joined_elsewhere');
        return null;
      default:
        return command satisfies never;
    }
  };

  /** The process that has the call, if it is alive. */
  const send = async (stored: StoredCall, command: Command): Promise<unknown> => {
    if (calls.has(command.callId)) return answer(command);
    const isAlive = stored.owner !== null && stored.owner !== owner && (stored.leaseUntil ?? 0) > now();
    return isAlive ? commands.send(stored.owner as string, command) : undefined;
  };

  return {
    get count(): number {
      return calls.size;
    },

    /** Joins a call: from then on, this process owns it. */
    join: (joining: Joining): Promise<OwnedCall> =>
      oneByOne(joining.callId, async () => {
        const first = await claim(joining);
        const claimed = first.kind === 'taken' ? first : await takeOver(joining, first.stored);
        if (claimed.kind !== 'taken') throw joinedElsewhere(claimed.stored.call);
        const known = claimed.wasOurs ? calls.get(joining.callId) : undefined;
        const live = known ?? (await open(claimed));
        live.resumedEpoch = joining.resumesEpoch;
        return live;
      }),

    /** Ends the conversation in the process that owns the call. If none does, nothing happens. */
    end: async (stored: StoredCall, reason: 'caller_hangup' | 'api_end'): Promise<void> => {
      await send(stored, { type: 'end', callId: stored.call.id, reason });
    },

    /** Resolves to the number of the call event. */
    control: async (stored: StoredCall, body: ControlCall): Promise<number> => {
      const sequence = await send(stored, { type: 'control', callId: stored.call.id, body });
      if (typeof sequence === 'number') return sequence;
      throw serviceUnavailable('The process that owns the call does not respond.');
    },

    /** Passes on what the carrier reports to the process that owns the call. If none does, nothing happens. */
    tell: async (stored: StoredCall, message: PhoneMessage): Promise<void> => {
      await send(stored, { type: 'tell', callId: stored.call.id, message });
    },

    /**
     * Whether another process keeps the call although its caller's connection is gone: it is lost, and its lease has not
     * ended. One that is alive releases the call.
     */
    isKeptElsewhere: async (stored: StoredCall): Promise<boolean> => {
      const isAlive = stored.owner !== null && stored.owner !== owner && (stored.leaseUntil ?? 0) > now();
      if (stored.call.status !== 'ongoing' || !isAlive) return false;
      let isRefused = false;
      const command: Command = { type: 'handover', callId: stored.call.id, ifDisconnected: true };
      commands.send(stored.owner as string, command, maxHandoverMs).catch(() => {
        isRefused = true;
      });
      for (;;) {
        // A process that shuts down releases its calls, and answers nobody any more.
        const found = await store.find(stored.call.workspaceId, stored.call.id);
        if (found?.owner !== stored.owner) return false;
        if (isRefused) return true;
        await parts.delay(handoverStepMs);
      }
    },

    serveCommands: async (): Promise<boolean> => {
      if (calls.size > 0) await commands.serve(owner, (command) => answer(command as Command));
      return false;
    },

    /** Releases all calls: their callers reconnect to another process. */
    close: async (): Promise<void> => {
      await Promise.all(
        [...calls.values()].map(async (live) => {
          try {
            // The result of a tool that is not here by now is lost, and the tool is called again under its id.
            await live.release('going_away');
          } catch (error) {
            logFailure(live.id, 'a call could not be released', error);
            live.close(false);
          }
        }),
      );
    },
  };

  async function isOver({ workspaceId, id }: OwnedCall): Promise<boolean> {
    const found = await store.find(workspaceId, id);
    return found !== undefined && found.call.status !== 'ongoing';
  }

  function joinedElsewhere({ status }: Call) {
    return stateConflict('call', { status, allowed: ['registered', 'ongoing'], reason: 'joined_elsewhere' });
  }
}
