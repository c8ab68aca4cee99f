import type { Agent } from '../../contract/agents/agent.ts';
import type { CallSettings } from '../../contract/agents/settings/index.ts';
import type { Call } from '../../contract/calls/call.ts';
import type { EventTypeOf } from '../../contract/webhooks/events.ts';
import type { Queries } from '../../storage/database.ts';
import type { OnCallSettled } from '../area.ts';
import type { Ending } from './call.ts';
import type { CallDocument, StoredCall } from './call-row.ts';
import { HeldCall } from './held-call.ts';
import type { PinnedAgents } from './pinned-agents.ts';
import type { CallStore } from './store.ts';
import { transcriptOf } from './transcript.ts';
import type { EventRow } from './turns-and-events.ts';

/** An event for webhooks, in the transaction of its cause. */
export interface CallOutboxEvent {
  readonly workspaceId: string;
  readonly type: EventTypeOf<'call'>;
  readonly subjectId: string;
  readonly sequence: number;
  readonly agentId: string;
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
  /** Called in every transaction that ends, updates, redacts or deletes a call. */
  readonly onSettled: OnCallSettled;
  /** What becomes of the recording of a call that ends. */
  readonly recordings?: {
    ending(held: HeldCall): void;
    ended(queries: Queries, stored: StoredCall): Promise<void>;
  };
  /** A transaction with new events has ended. They are given if it is certain that they are committed. */
  readonly onEvents: (callId: string, written: readonly EventRow[] | null) => void;
}

export type Journal = ReturnType<typeof createJournal>;

const dayMs = 24 * 3_600_000;

/** Writes what happens in calls: everything that belongs together in one transaction. */
export function createJournal(parts: JournalParts) {
  const { store, agents, newId, now, writeEvent, beginAnalysis, removeSealedResponses, onSettled, onEvents } = parts;

  const publish = async (queries: Queries, held: HeldCall): Promise<void> => {
    if (held.outbox.length === 0) return;
    const { call, row } = held;
    const agent = await agents.read(queries, call.workspaceId, row.agentDigest);
    const transcript = () => transcriptOf(store, call, row.language, queries);
    for (const { type, sequence, data } of held.outbox) {
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

  const writeRecords = async (queries: Queries, held: HeldCall): Promise<void> => {
    for (const turn of held.turns) await store.writeTurn(queries, held.call.id, turn);
    for (const event of held.events) await store.writeEvent(queries, event);
    await publish(queries, held);
    if (held.hasNewEvents) queries.atEnd((isCommitted) => onEvents(held.call.id, isCommitted ? held.eventRows : null));
  };

  return {
    /** Locks a call for changes. Its document and its state are not read again if they are `known`. */
    hold: async (
      queries: Queries,
      workspaceId: string,
      id: string,
      known: StoredCall | null = null,
    ): Promise<HeldCall | undefined> => {
      const stored = await store.hold(queries, workspaceId, id, known);
      return stored === undefined ? undefined : new HeldCall(stored, { newId, now: now() });
    },

    newCall: (stored: Omit<StoredCall, 'etag'>): HeldCall =>
      new HeldCall({ ...stored, etag: '' }, { newId, now: now() }),

    insert: async (queries: Queries, held: HeldCall): Promise<CallDocument> => {
      const document = await store.insert(queries, held.row);
      await writeRecords(queries, held);
      return document;
    },

    write: async (queries: Queries, held: HeldCall): Promise<CallDocument> => {
      await writeRecords(queries, held);
      return store.update(queries, held.before, held.row);
    },

    /** Ends a call: what it needed to continue disappears with it. */
    end: async (queries: Queries, held: HeldCall, ending: Ending): Promise<CallDocument> => {
      const { workspaceId, id } = held.call;
      parts.recordings?.ending(held);
      const agent = await agents.read(queries, workspaceId, held.row.agentDigest);
      if (agent === undefined) throw new Error('the agent of an open call is missing');
      const hasCallerSpeech =
        held.turns.some(({ role }) => role === 'caller') || (await store.hasCallerTurn(queries, id));
      const analysis = await beginAnalysis(queries, held.call, agent, hasCallerSpeech);
      held.end(ending, keptUntil(agent, ending.at), analysis);
      await writeRecords(queries, held);
      await removeSealedResponses(queries, id);
      await parts.recordings?.ended(queries, held.row);
      await onSettled(queries, { what: 'ended', call: held.call });
      return store.update(queries, held.before, held.row);
    },
  };
}

/** When the agent says that the call is to be deleted. */
function keptUntil(agent: Agent, endedAt: number): number | null {
  const { calls } = (agent.agentSettings ?? {}) as { readonly calls?: CallSettings };
  return calls?.retentionDays === undefined ? null : endedAt + calls.retentionDays * dayMs;
}
