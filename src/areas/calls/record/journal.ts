import type { Agent } from '../../../contract/agents/agent.ts';
import type { CallSettings } from '../../../contract/agents/settings/index.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { EventTypeOf } from '../../../contract/webhooks/events.ts';
import type { Queries } from '../../../storage/database.ts';
import type { Tracing } from '../../../tracing/tracing.ts';
import type { CostOf, OnCallSettled } from '../../area.ts';
import { type Ending, noAnalysis } from './call.ts';
import type { CallDocument, StoredCall } from './call-row.ts';
import { LockedCall } from './locked-call.ts';
import type { PinnedAgents } from './pinned-agents.ts';
import type { CallStore } from './store.ts';
import { transcriptOf } from './transcript.ts';
import type { EventRow } from './turns-and-events.ts';

/** Logs what went wrong in a call and does not end it. */
export type LogCallFailure = (callId: string, what: string, error: unknown) => void;

/** An event for webhooks, in the transaction of its cause. */
export interface CallOutboxEvent {
  readonly workspaceId: string;
  readonly type: EventTypeOf<'call'>;
  readonly subjectId: string;
  readonly sequence: number;
  readonly agentId: string | null;
  /** Where the version of the call sends its events. */
  readonly agentWebhook: { readonly url: string | null; readonly events: readonly string[] } | null;
  readonly data: object;
  /** For events that can contain it. */
  readonly transcript?: () => Promise<object | null>;
}

export interface JournalParts {
  readonly store: CallStore;
  readonly agents: PinnedAgents;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly writeEvent: (queries: Queries, event: CallOutboxEvent) => Promise<void>;
  /** Starts or skips the analysis of a call that ends, in the same transaction. */
  readonly beginAnalysis: (
    queries: Queries,
    call: Call,
    agent: Agent,
    hasCallerSpeech: boolean,
  ) => Promise<Call['analysis']>;
  /** Saved responses with the content of a call that may not outlive it. */
  readonly removeSealedResponses: (queries: Queries, callId: string) => Promise<void>;
  readonly costOf: CostOf;
  /** Called in every transaction that ends, updates, redacts or deletes a call. */
  readonly onSettled: OnCallSettled;
  /** What becomes of the recording of a call that ends. */
  readonly recordings?: {
    ending(locked: LockedCall): void;
    ended(queries: Queries, stored: StoredCall): Promise<void>;
  };
  /** A transaction with new events has ended. They are given if it is certain that they are committed. */
  readonly onEvents: (callId: string, written: readonly EventRow[] | null) => void;
  readonly tracing?: Tracing | null;
}

export type Journal = ReturnType<typeof createJournal>;

const dayMs = 24 * 3_600_000;

/** Writes what happens in calls: everything that belongs together in one transaction. */
export function createJournal(parts: JournalParts) {
  const { store, agents, newId, now, writeEvent, beginAnalysis, removeSealedResponses, onSettled, onEvents } = parts;
  const { tracing = null } = parts;

  const publish = async (queries: Queries, locked: LockedCall): Promise<void> => {
    if (locked.outbox.length === 0) return;
    const { call, row } = locked;
    const agent = await agents.read(queries, call.workspaceId, row.agentDigest);
    const transcript = () => transcriptOf(store, call, row.language, queries);
    for (const { type, sequence, data } of locked.outbox) {
      await writeEvent(queries, {
        workspaceId: call.workspaceId,
        type,
        subjectId: call.id,
        sequence,
        agentId: call.agentId,
        agentWebhook: agent === undefined ? null : { url: agent.webhookUrl ?? null, events: agent.webhookEvents },
        data,
        ...((type === 'call_ended' || type === 'call_analyzed') && { transcript }),
      });
    }
  };

  const writeRecords = async (queries: Queries, locked: LockedCall): Promise<void> => {
    for (const turn of locked.turns) await store.writeTurn(queries, locked.call.id, turn);
    for (const event of locked.events) await store.writeEvent(queries, event);
    await publish(queries, locked);
    if (locked.hasNewEvents)
      queries.atEnd((isCommitted) => onEvents(locked.call.id, isCommitted ? locked.eventRows : null));
    if (tracing !== null && locked.turns.length > 0)
      queries.atEnd((isCommitted) => isCommitted && tracing.turns(locked.call, locked.turns));
  };

  /** Everything that belongs to the end of a call, except its row. A call without an agent has nothing to analyze. */
  const settle = async (queries: Queries, locked: LockedCall, ending: Ending, isNew: boolean): Promise<void> => {
    const { workspaceId, id, agentId } = locked.call;
    parts.recordings?.ending(locked);
    const agent = await agents.read(queries, workspaceId, locked.row.agentDigest);
    if (agent === undefined && agentId !== null) throw new Error('the agent of an open call is missing');
    const hasCallerSpeech =
      locked.turns.some(({ role }) => role === 'caller') || (await store.hasCallerTurn(queries, id));
    const analysis =
      agent === undefined ? notAnalyzed(ending.at) : await beginAnalysis(queries, locked.call, agent, hasCallerSpeech);
    locked.setCall({ cost: await parts.costOf(queries, { ...locked.call, analysis }) });
    locked.end(ending, agent === undefined ? null : keptUntil(agent, ending.at), analysis, isNew);
    await writeRecords(queries, locked);
    await removeSealedResponses(queries, id);
    await parts.recordings?.ended(queries, locked.row);
    await onSettled(queries, { what: 'ended', call: locked.call, details: () => store.endedDetails(queries, id) });
    if (tracing !== null) {
      queries.atEnd((isCommitted) => isCommitted && tracing.ended(locked.call, agent?.name ?? null));
    }
  };

  return {
    /** Locks a call for changes. Its document and its state are not read again if they are `known`. */
    lock: async (
      queries: Queries,
      workspaceId: string,
      id: string,
      known: StoredCall | null = null,
    ): Promise<LockedCall | undefined> => {
      const stored = await store.lock(queries, workspaceId, id, known);
      return stored === undefined ? undefined : new LockedCall(stored, { newId, now: now() });
    },

    newCall: (stored: Omit<StoredCall, 'etag'>): LockedCall =>
      new LockedCall({ ...stored, etag: '' }, { newId, now: now() }),

    insert: async (queries: Queries, locked: LockedCall): Promise<CallDocument> => {
      const document = await store.insert(queries, locked.row);
      await writeRecords(queries, locked);
      return document;
    },

    write: async (queries: Queries, locked: LockedCall): Promise<CallDocument> => {
      await writeRecords(queries, locked);
      return store.update(queries, locked.before, locked.row);
    },

    /** Ends a call: what it needed to continue disappears with it. */
    end: async (queries: Queries, locked: LockedCall, ending: Ending): Promise<CallDocument> => {
      await settle(queries, locked, ending, false);
      return store.update(queries, locked.before, locked.row);
    },

    /** A call that is over from the start: it was refused. */
    insertEnded: async (queries: Queries, locked: LockedCall, ending: Ending): Promise<CallDocument> => {
      await settle(queries, locked, ending, true);
      return store.insert(queries, locked.row);
    },
  };
}

function notAnalyzed(at: number): Call['analysis'] {
  return { ...noAnalysis, status: 'skipped', reason: 'not_connected', completedAt: new Date(at).toISOString() };
}

/** When the agent says that the call is to be deleted. */
function keptUntil(agent: Agent, endedAt: number): number | null {
  const { calls } = (agent.agentSettings ?? {}) as { readonly calls?: CallSettings };
  return calls?.retentionDays === undefined ? null : endedAt + calls.retentionDays * dayMs;
}
