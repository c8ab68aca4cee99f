import { LRUCache } from 'lru-cache';
import type { Agent } from '../../../contract/agents/agent.ts';
import type { Queries } from '../../../storage/database.ts';
import type { CallStore } from './store.ts';

/** An agent as it is pinned to a call: with what only this call has. */
export interface AgentOfCall extends Agent {
  /** Absent: the tools are called. */
  readonly toolResults?: 'example';
}

/** Bounds the memory: a prompt may have 200,000 characters. */
const maxCachedBytes = 16 * 1024 * 1024;

export type PinnedAgents = ReturnType<typeof createPinnedAgents>;

/** The agents that calls were created with. They never change, so that they can be cached. */
export function createPinnedAgents(store: CallStore) {
  const cache = new LRUCache<string, AgentOfCall>({ maxSize: maxCachedBytes });

  return {
    read: async (
      queries: Queries | undefined,
      workspaceId: string,
      digest: string,
    ): Promise<AgentOfCall | undefined> => {
      const name = `${workspaceId} ${digest}`;
      const known = cache.get(name);
      if (known !== undefined) return known;
      const document = await store.agent(workspaceId, digest, queries);
      if (document === undefined) return undefined;
      const agent: AgentOfCall = JSON.parse(document);
      cache.set(name, agent, { size: document.length });
      return agent;
    },
  };
}
