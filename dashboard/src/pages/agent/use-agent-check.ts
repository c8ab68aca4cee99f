import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useClient } from '../../session/use-session.ts';
import type { StoredAgent } from './stored-agent.ts';

/** What would prevent publishing the saved draft. Published versions are not checked. */
export function useAgentCheck({ agent, etag }: StoredAgent) {
  const client = useClient();
  const isDraft = !agent.isPublished;
  const { data, error, isFetching, refetch } = useQuery({
    // A saved change has another tag, and is checked anew.
    queryKey: ['agent', agent.id, 'check', etag],
    queryFn: async ({ signal }) => await client.agents.check(agent.id, {}, { signal }),
    enabled: isDraft,
    placeholderData: keepPreviousData,
  });
  const result = isDraft ? (data ?? null) : null;
  return { result, error: result === null ? error : null, isChecking: isFetching && result === null, retry: refetch };
}

export type AgentCheckState = ReturnType<typeof useAgentCheck>;
