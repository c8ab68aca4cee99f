import { useQuery } from '@tanstack/react-query';
import type { VoiceAgents } from '../../../sdk/src/index.ts';
import { useScope, useSession } from '../session/use-session.ts';

/** The name of an agent by id; null while loading, if it does not exist, and for other kinds of ids. */
export function useAgentName(id: string): string | null {
  const { client } = useSession();
  const { isAllowed } = useScope('agents:read');
  const { data } = useQuery(agentNameQuery(client, id, isAllowed));
  return data ?? null;
}

export function agentNameQuery(client: VoiceAgents, id: string, isAllowed: boolean) {
  return {
    queryKey: ['agent-name', id],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      // A search, because reading an agent that has been deleted would count as a rejected request.
      const { items } = await client.agents.list({ q: id, limit: 1 }, { signal });
      return items.find((agent) => agent.id === id)?.name ?? null;
    },
    enabled: isAllowed && id.startsWith('agt_'),
    staleTime: 60_000,
  };
}
