import { useQuery } from '@tanstack/react-query';
import { useScope, useSession } from '../session/use-session.ts';

/** The display names of the latest keys, if the key may read them; otherwise only its own. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { client, whoami } = useSession();
  const { isAllowed } = useScope('keys:read');
  const { data } = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: async ({ signal }) => {
      const { items } = await client.apiKeys.list({ limit: 200 }, { signal });
      return new Map(items.map(({ id, name, hint }) => [id, name || hint] as const));
    },
    enabled: isAllowed,
    staleTime: 60_000,
    structuralSharing: false,
  });
  return data ?? (whoami.keyName ? new Map([[whoami.keyId, whoami.keyName]]) : new Map());
}
