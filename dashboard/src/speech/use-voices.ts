import { useQuery } from '@tanstack/react-query';
import type { Provider, Voice } from '../../../sdk/src/index.ts';
import { useClient, useScope } from '../session/use-session.ts';

const keptMs = 60_000;
const none: readonly never[] = [];

export function useProviders(): readonly Provider[] {
  const client = useClient();
  const { isAllowed } = useScope('calls:read');
  const { data } = useQuery({
    queryKey: ['providers'],
    queryFn: async ({ signal }) => (await client.providers.list({ signal })).items,
    enabled: isAllowed,
    staleTime: keptMs,
  });
  return data ?? none;
}

/** The voices of a provider that speak a language; `auto`: of all of them. */
export function useVoices(provider: string, language: string): readonly Voice[] {
  const client = useClient();
  const { isAllowed } = useScope('calls:read');
  const { data } = useQuery({
    queryKey: ['voices', provider, language],
    queryFn: async ({ signal }) => {
      const query = { ...(provider !== 'auto' && { provider }), ...(language !== '' && { language }) };
      return (await client.voices.list(query, { signal })).items;
    },
    enabled: isAllowed && provider !== '',
    staleTime: keptMs,
  });
  return data ?? none;
}
