import { useQuery } from '@tanstack/react-query';
import { NotFoundError } from '../../../sdk/src/index.ts';
import { useScope, useSession } from '../session/use-session.ts';

/** The name of an agent by its id; null while it is not known, where there is no such agent, and for ids of anything else. */
export function useAgentName(id: string): string | null {
  const { client } = useSession();
  const { isAllowed } = useScope('agents:read');
  const { data } = useQuery({
    queryKey: ['agent-name', id],
    queryFn: async ({ signal }) => {
      try {
        return (await client.agents.get(id, { signal })).name;
      } catch (error) {
        // It was deleted since.
        if (error instanceof NotFoundError) return null;
        throw error;
      }
    },
    enabled: isAllowed && id.startsWith('agt_'),
    staleTime: 60_000,
  });
  return data ?? null;
}
