import { useQuery } from '@tanstack/react-query';
import type { Call, Webhook } from '../../../../sdk/src/index.ts';
import { useClient, useScope } from '../../session/use-session.ts';
import { hasUrl } from '../webhooks/health.ts';

export const refreshMs = 30_000;
const newestCount = 6;
const maxWebhooks = 200;

/** Those that are open, too. */
export function useNewestCalls() {
  const client = useClient();
  const { isAllowed } = useScope('calls:read');
  return useQuery({
    queryKey: ['calls', 'newest'],
    queryFn: async ({ signal }): Promise<readonly Call[]> =>
      (await client.calls.list({ limit: newestCount }, { signal })).items,
    enabled: isAllowed,
    refetchInterval: refreshMs,
  });
}

export function useSomeWebhooks() {
  const client = useClient();
  const { isAllowed } = useScope('webhooks:read');
  return useQuery({
    queryKey: ['webhooks', 'some'],
    queryFn: async ({ signal }): Promise<readonly Webhook[]> =>
      (await client.webhooks.list({ limit: maxWebhooks }, { signal })).items.filter(hasUrl),
    enabled: isAllowed,
    refetchInterval: refreshMs,
  });
}
