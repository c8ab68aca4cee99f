import type { Database, Queries } from '../../../storage/database.ts';
import { engineFor } from '../../../voice/engines/choose.ts';
import { channelOf } from '../conversation/channel.ts';
import { phoneStateOf, type QueueEntry, type StateBeforeStart, setEarlierConversation } from '../conversation/state.ts';
import { type Ending, isTerminal, noUsage } from '../record/call.ts';
import type { Journal } from '../record/journal.ts';
import type { LockedCall } from '../record/locked-call.ts';
import type { PinnedAgents } from '../record/pinned-agents.ts';
import { isSealed } from '../record/storage-setting.ts';
import type { CallStore } from '../record/store.ts';
import { notAppliedIn, type SpeechChoice } from './call-agent.ts';
import { type Concurrency, type Pool, poolOf } from './concurrency.ts';
import { type CreateParts, carrierSlots, dialPhone } from './create.ts';
import { dialDeadlines, joinMs, resumeMs } from './due.ts';
import { createDueCalls } from './due-calls.ts';

export interface DeadlineParts extends Pick<CreateParts, 'phone' | 'prepareSpeech'> {
  readonly database: Database;
  readonly store: CallStore;
  readonly journal: Journal;
  readonly agents: PinnedAgents;
  readonly concurrency: Concurrency;
  readonly hasModel: (workspaceId: string) => boolean;
  readonly speechOf: (workspaceId: string) => SpeechChoice;
  readonly now: () => number;
  /** When this process started. */
  readonly startedAt: number;
  /** Deletes a call whose time is over. */
  readonly remove: (queries: Queries, locked: LockedCall) => Promise<void>;
  /** `count`: how many calls could not be ended or deleted, or how many queues could not be served. */
  readonly logFailure: (count: number, error: Error) => void;
}

const batchSize = 100;
/** Each may wait for the database: when the service is busy, one after the other would be late. */
const concurrency = 4;
/** What failed is tried again only after this time, so that it does not delay anything else. */
const retryMs = 2000;

export type Deadlines = ReturnType<typeof createDeadlines>;

/**
 * Ends calls that nobody joins or answers, in which nobody writes any more, or which last too long. Starts queued calls,
 * and deletes old ones. Every process does this: what is due is decided under the lock of the call, so it happens once.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createDeadlines(parts: DeadlineParts) {
  const { database, store, journal, agents, now } = parts;
  const dueCalls = createDueCalls(database);

  const act = (workspaceId: string, id: string): Promise<void> =>
    database.transaction(async (queries) => {
      // Something is happening in the call, or another process is acting: the next run will see.
      if (!(await store.lockIfFree(queries, workspaceId, id))) return;
      const locked = await journal.lock(queries, workspaceId, id);
      const { dueAt = null } = locked?.row ?? {};
      // Another process has acted, or something has happened in the call.
      if (locked === undefined || dueAt === null || dueAt > now() || locked.call.status === 'queued') return;
      if (isTerminal(locked.call)) await parts.remove(queries, locked);
      else if (locked.call.status !== 'ongoing') await journal.end(queries, locked, notStarted(locked));
      else if (channelOf(locked.call).isSpoken) await endDisconnected(queries, locked);
      else await endOngoing(queries, locked);
    });

  const endOngoing = async (queries: Queries, locked: LockedCall): Promise<void> => {
    const { call, leaseUntil, agentDigest } = locked.row;
    const agent = await agents.read(queries, call.workspaceId, agentDigest);
    const maxMs = agent?.maxCallDurationMs ?? 0;
    if (call.startedAt !== null && locked.now >= Date.parse(call.startedAt) + maxMs) {
      await journal.end(queries, locked, { reason: 'max_duration', by: 'system', at: locked.now });
    } else if ((leaseUntil ?? 0) > locked.now) {
      locked.set({ dueAt: leaseUntil });
      await journal.write(queries, locked);
    } else await journal.end(queries, locked, { reason: 'silence_timeout', by: 'system', at: locked.now });
  };

  /** A spoken call that no process has: its caller did not resume it in time, or nobody can. */
  const endDisconnected = async (queries: Queries, locked: LockedCall): Promise<void> => {
    const { call, owner, leaseUntil } = locked.row;
    if (owner === null) {
      setEarlierConversation(locked);
      await journal.end(queries, locked, { reason: 'caller_disconnected', by: 'caller', at: locked.now });
      return;
    }
    // After a pause of the whole service, its callers get the time that they would have had.
    const resumableUntil = Math.max(leaseUntil ?? 0, parts.startedAt) + resumeMs;
    if (!isSealed(call.dataStorageSetting) && resumableUntil > locked.now) {
      locked.set({ dueAt: resumableUntil });
      await journal.write(queries, locked);
      if (channelOf(call).needsCarrier) await parts.phone.reconnect(queries, call);
      return;
    }
    await journal.end(queries, locked, { reason: 'server_restart', by: 'system', at: Date.parse(call.updatedAt) });
  };

  /** Lets in as many queued calls as there are free slots, in order of their time, and ends those that cannot wait. */
  const startQueued = (workspaceId: string, pool: Pool): Promise<boolean> =>
    database.transaction(async (queries) => {
      const free = Math.min(batchSize, await parts.concurrency.free(queries, workspaceId, pool));
      const fullCarriers: string[] = [];
      let taken = 0;
      for (let isComplete = false; !isComplete; ) {
        isComplete = true;
        const left = free - taken;
        const due = left > 0 ? await dueCalls.dueInQueue(queries, workspaceId, pool, now(), left, fullCarriers) : [];
        for (const id of due) {
          const fullCarrier = await withQueued(queries, workspaceId, id, startOrExpire);
          taken += fullCarrier === null ? 1 : 0;
          if (fullCarrier === null) continue;
          // Others need not wait for this carrier.
          fullCarriers.push(fullCarrier);
          isComplete = false;
        }
      }
      if (taken === batchSize) return true;
      const overdue = await dueCalls.overdueInQueue(queries, workspaceId, pool, now(), batchSize);
      for (const id of overdue) await withQueued(queries, workspaceId, id, endQueued);
      return overdue.length === batchSize;
    });

  const withQueued = async (
    queries: Queries,
    workspaceId: string,
    id: string,
    act: (queries: Queries, locked: LockedCall) => Promise<string | null>,
  ): Promise<string | null> => {
    const locked = await journal.lock(queries, workspaceId, id);
    return locked?.call.status === 'queued' ? act(queries, locked) : null;
  };

  /** Resolves to the carrier if it has no room for the call, which waits. */
  const startOrExpire = async (queries: Queries, locked: LockedCall): Promise<string | null> => {
    if ((queueEntryOf(locked)?.expiresAt ?? 0) <= locked.now) return endQueued(queries, locked);
    const { call, carrierId } = locked.row;
    const isCarrierFull =
      carrierId !== null && (await carrierSlots(parts, queries, call.workspaceId, { carrierId })).free <= 0;
    if (isCarrierFull) return carrierId;
    await register(queries, locked);
    return null;
  };

  const endQueued = async (queries: Queries, locked: LockedCall): Promise<null> => {
    const { mayWait = true, expiresAt = 0 } = queueEntryOf(locked) ?? {};
    const reason = mayWait || expiresAt <= locked.now ? 'expired' : 'concurrency_limit';
    await journal.end(queries, locked, { reason, by: 'system', at: locked.now });
    return null;
  };

  const register = async (queries: Queries, locked: LockedCall): Promise<void> => {
    const { workspaceId, type, notApplied } = locked.call;
    const agent = await agents.read(queries, workspaceId, locked.row.agentDigest);
    if (agent === undefined) throw new Error('the agent of an open call is missing');
    // A model may have been connected since the call was created, or the other way round.
    const engine = engineFor(agent, parts.hasModel(workspaceId));
    const recording = notApplied.filter(({ reason }) => reason === 'data_storage_setting');
    const line = phoneStateOf(locked)?.line ?? null;
    locked.setCall({
      engine,
      usage: noUsage(agent, engine, line?.provider ?? null),
      notApplied: [...notAppliedIn(agent, type, engine, parts), ...recording],
    });
    locked.register();
    const answerBy = locked.now + dialDeadlines.answeredMs;
    const phone = line && { line, answerBy };
    const dueAt = line === null ? locked.now + joinMs : answerBy;
    locked.set({ dueAt, leaseUntil: null, state: { ...locked.row.state, queue: null, phone } });
    if (line !== null) await dialPhone(parts, queries, locked, line, agent);
    await journal.write(queries, locked);
  };

  const failedCalls = new Map<string, number>();

  return {
    /** Ends and deletes calls that are due. Resolves to true if there may be more. */
    act: async (): Promise<boolean> => {
      // Calls that fail again and again are the first in every run, and must not fill it.
      const found = await dueCalls.due(now(), batchSize + failedCalls.size);
      const ids = new Set(found.map(({ id }) => id));
      for (const id of failedCalls.keys()) if (!ids.has(id)) failedCalls.delete(id);
      const due = found.filter(({ id }) => (failedCalls.get(id) ?? 0) <= now());
      const failures = await forEach(due, ({ workspaceId, id }) => act(workspaceId, id));
      for (const { item } of failures) failedCalls.set(item.id, now() + retryMs);
      if (failures[0] !== undefined) parts.logFailure(failures.length, failures[0].error);
      return due.length >= batchSize;
    },

    /** Lets queued calls in, or ends them. Resolves to true if there may be more. */
    startQueued: async (): Promise<boolean> => {
      let hasMore = false;
      const failures = await forEach(await dueCalls.queues(now()), async ({ workspaceId, type }) => {
        if (await startQueued(workspaceId, poolOf(type))) hasMore = true;
      });
      if (failures[0] !== undefined) throw failures[0].error;
      return hasMore;
    },
  };
}

/** Nobody joined, or the carrier reported nothing more. */
function notStarted({ call, now: at }: LockedCall): Ending {
  const { type, direction, providerCallId } = call;
  if (channelOf({ type }).hasPage) return { reason: 'not_joined', by: 'system', at };
  if (direction === 'inbound') {
    return { reason: 'media_failed', by: 'system', detail: 'The audio of the call did not start.', at };
  }
  if (providerCallId !== null) return { reason: 'dial_no_answer', by: 'system', at };
  return { reason: 'carrier_failed', by: 'system', detail: 'The carrier did not confirm the call.', at };
}

function queueEntryOf({ row }: LockedCall): QueueEntry | null {
  return (row.state as StateBeforeStart | null)?.queue ?? null;
}

/** Does this to all items, a few at a time. Returns those that failed. */
async function forEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<{ readonly item: Item; readonly error: Error }[]> {
  const failures: { item: Item; error: Error }[] = [];
  const left = items.values();
  const takeFromLeft = async (): Promise<void> => {
    for (const item of left) await work(item).catch((error: Error) => failures.push({ item, error }));
  };
  await Promise.all(Array.from({ length: concurrency }, takeFromLeft));
  return failures;
}
