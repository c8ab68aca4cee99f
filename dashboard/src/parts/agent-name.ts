import { useQuery } from '@tanstack/react-query';
import { NotFoundError } from '../../../sdk/src/index.ts';
import { useScope, useSession } from '../session/use-session.ts';

/** The name of an agent by id; null while loading, if it does not exist, and for other kinds of ids. */
export function useAgentName(id: string): string | null {
  const { client } = useSession();
  const { isAllowed } = useScope('agents:read');
  const { data } = useQuery({
    queryKey: ['agent-name', id],
    queryFn: async ({ signal }) => {
      try {
        return (await client.agents.get(id, { signal })).name;
      } catch (error) {
        // It has been deleted.
        if (error instanceof NotFoundError) return null;
        throw error;
      }
    },
    enabled: isAllowed && id.startsWith('agt_'),
    staleTime: 60_000,
  });
  return data ?? null;
}
