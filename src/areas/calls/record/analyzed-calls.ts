import type { Agent } from '../../../contract/agents/agent.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import type { Queries } from '../../../storage/database.ts';
import type { CostOf, OnCallSettled } from '../../area.ts';
import type { StoredCall } from './call-row.ts';
import type { Journal } from './journal.ts';
import type { PinnedAgents } from './pinned-agents.ts';
import { storedAnalysis } from './storage-setting.ts';
import type { CallStore } from './store.ts';

/** A call as its analysis needs it. */
type AnalyzedCall = Pick<StoredCall, 'call' | 'language' | 'agentDigest'>;

export interface AnalyzedCallParts {
  readonly store: CallStore;
  readonly journal: Journal;
  readonly agents: PinnedAgents;
  readonly costOf: CostOf;
  readonly onSettled: OnCallSettled;
}

/** What the analysis needs of calls. */
export function createAnalyzedCalls({ store, journal, agents, costOf, onSettled }: AnalyzedCallParts) {
  return {
    find: (workspaceId: string, id: string): Promise<AnalyzedCall | undefined> => store.find(workspaceId, id),

    lock: async (queries: Queries, workspaceId: string, id: string): Promise<AnalyzedCall | undefined> =>
      (await journal.lock(queries, workspaceId, id))?.row,

    agent: (workspaceId: string, digest: string): Promise<Agent | undefined> =>
      agents.read(undefined, workspaceId, digest),

    hasCallerTurn: (callId: string): Promise<boolean> => store.hasCallerTurn(undefined, callId),

    stored: storedAnalysis,

    turns: (callId: string): Promise<Turn[]> => store.turns(callId),

    change: async (
      queries: Queries,
      workspaceId: string,
      id: string,
      change: (call: Call) => { readonly analysis: Call['analysis']; readonly isPublished: boolean } | null,
    ): Promise<void> => {
      const locked = await journal.lock(queries, workspaceId, id);
      const changed = locked === undefined ? null : change(locked.call);
      if (locked === undefined || changed === null) return;
      const { analysis } = changed;
      locked.setCall({ analysis, cost: await costOf(queries, { ...locked.call, analysis }) });
      if (changed.isPublished) locked.publish('call_analyzed', { call: locked.call });
      await onSettled(queries, { what: 'changed', call: locked.call });
      await journal.write(queries, locked);
    },
  };
}
