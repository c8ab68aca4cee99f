import type { Database, Queries } from '../../storage/database.ts';
import { engineFor } from '../../voice/engines/choose.ts';
import { isTerminal } from './call.ts';
import { type Concurrency, type Pool, poolOf } from './concurrency.ts';
import { joinMs, type StateBeforeStart } from './create.ts';
import type { HeldCall } from './held-call.ts';
import type { Journal } from './journal.ts';
import type { PinnedAgents } from './pinned-agents.ts';
import { isSealed } from './storage-setting.ts';
import type { CallStore } from './store.ts';

export interface DeadlineParts {
  readonly database: Database;
  readonly store: CallStore;
  readonly journal: Journal;
  readonly agents: PinnedAgents;
  readonly concurrency: Concurrency;
  readonly hasModel: boolean;
  readonly now: () => number;
  /** Deletes a call whose time is over. */
  readonly remove: (queries: Queries, held: HeldCall) => Promise<void>;
}

const batchSize = 100;
/** A call behind these in the queue cannot start before them. */
const maxQueued = 1000;

export type Deadlines = ReturnType<typeof createDeadlines>;

/**
 * Ends calls that nobody joins, in which nobody writes any more, or which last too long; lets queued ones in; deletes
 * old ones. Every process does so: what is due is decided under the lock of the call, so that it happens once.
 */
export function createDeadlines(parts: DeadlineParts) {
  const { database, store, journal, agents, now } = parts;

  const act = (workspaceId: string, id: string): Promise<void> =>
    database.transaction(async (queries) => {
      const held = await journal.hold(queries, workspaceId, id);
      const { dueAt = null } = held?.row ?? {};
      // Another process has acted, or something has happened in the call.
      if (held === undefined || dueAt === null || dueAt > now() || held.call.status === 'queued') return;
      if (isTerminal(held.call)) await parts.remove(queries, held);
      else if (held.call.status === 'registered') {
        await journal.end(queries, held, { reason: 'not_joined', by: 'system', at: held.now });
      } else await endOngoing(queries, held);
    });

  const endOngoing = async (queries: Queries, held: HeldCall): Promise<void> => {
    const { call, leaseUntil, agentDigest } = held.row;
    const agent = await agents.read(queries, call.workspaceId, agentDigest);
    const maxMs = agent?.maxCallDurationMs ?? 0;
    if (call.startedAt !== null && held.now >= Date.parse(call.startedAt) + maxMs) {
      await journal.end(queries, held, { reason: 'max_duration', by: 'system', at: held.now });
    } else if ((leaseUntil ?? 0) > held.now) {
      held.set({ dueAt: leaseUntil });
      await journal.write(queries, held);
    } else await journal.end(queries, held, { reason: 'silence_timeout', by: 'system', at: held.now });
  };

  /** Lets in as many queued calls as there are free slots, in order of their time. */
  const startQueued = (workspaceId: string, pool: Pool): Promise<void> =>
    database.transaction(async (queries) => {
      let free = await parts.concurrency.free(queries, workspaceId, pool);
      for (const id of await store.dueInQueue(queries, workspaceId, pool, now(), maxQueued)) {
        const held = await journal.hold(queries, workspaceId, id);
        if (held === undefined || held.call.status !== 'queued') continue;
        if (free > 0) {
          await register(queries, held);
          free -= 1;
        } else await keepOrEnd(queries, held);
      }
    });

  const register = async (queries: Queries, held: HeldCall): Promise<void> => {
    const { id, workspaceId, dataStorageSetting, notApplied } = held.call;
    const agent = await agents.read(queries, workspaceId, held.row.agentDigest);
    // A model may have been connected since the call was created.
    const engine = agent === undefined ? held.call.engine : engineFor(agent, parts.hasModel);
    held.setCall({
      engine,
      notApplied: engine === 'rehearsal' ? notApplied : notApplied.filter(({ field }) => field !== 'responseEngine'),
    });
    held.register();
    held.set({ dueAt: held.now + joinMs });
    const state = await store.readState<StateBeforeStart>(id, queries);
    if (state !== undefined) {
      await store.writeState(queries, id, { ...state, queue: null }, isSealed(dataStorageSetting));
    }
    await journal.write(queries, held);
  };

  const keepOrEnd = async (queries: Queries, held: HeldCall): Promise<void> => {
    const state = await store.readState<StateBeforeStart>(held.call.id, queries);
    const { mayWait = false, expiresAt = 0 } = state?.queue ?? {};
    if (mayWait && expiresAt > held.now) return;
    const reason = mayWait ? 'expired' : 'concurrency_limit';
    await journal.end(queries, held, { reason, by: 'system', at: held.now });
  };

  return {
    /** Resolves to true if there may be more. */
    run: async (): Promise<boolean> => {
      const due = await store.due(now(), batchSize);
      const queues = await store.queues(now());
      const failures: unknown[] = [];
      // What fails in one call must not keep the others from ending.
      const attempt = (work: Promise<void>): Promise<void> => work.catch((error: unknown) => void failures.push(error));
      for (const { workspaceId, id } of due) await attempt(act(workspaceId, id));
      for (const { workspaceId, type } of queues) await attempt(startQueued(workspaceId, poolOf(type)));
      if (failures.length > 0) throw failures[0];
      return due.length === batchSize;
    },
  };
}
