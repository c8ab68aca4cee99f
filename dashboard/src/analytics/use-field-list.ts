import { useQuery } from '@tanstack/react-query';
import { useClient, useScope } from '../session/use-session.ts';

/** Every metric, dimension and field that a query can name. */
export function useFieldList() {
  const client = useClient();
  const { isAllowed } = useScope('analytics:read');
  return useQuery({
    queryKey: ['analytics', 'fields'],
    queryFn: async ({ signal }) => (await client.analytics.fields.list({ signal })).items,
    enabled: isAllowed,
    staleTime: 300_000,
  });
}
