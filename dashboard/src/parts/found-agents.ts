import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useClient, useScope } from '../session/use-session.ts';

/** Agents to choose from. The server searches, because there may be thousands. */
export function useFoundAgents(search: string): readonly { readonly value: string; readonly label: string }[] {
  const client = useClient();
  const { isAllowed } = useScope('agents:read');
  const { data = [] } = useQuery({
    queryKey: ['agents', 'names', search],
    queryFn: async ({ signal }) => {
      const { items } = await client.agents.list({ limit: 20, q: search === '' ? undefined : search }, { signal });
      return items.map(({ id, name }) => ({ value: id, label: name }));
    },
    enabled: isAllowed,
    placeholderData: keepPreviousData,
  });
  return data;
}
