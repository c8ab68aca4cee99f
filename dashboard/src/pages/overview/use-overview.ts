import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Call, Webhook } from '../../../../sdk/src/index.ts';
import { useClient, useScope } from '../../session/use-session.ts';
import { hasUrl } from '../webhooks/health.ts';

export type Period = 'day' | 'week';

const refreshMs = 30_000;
const dayMs = 86_400_000;
/** One page: the numbers are about the newest calls if there are more. */
export const maxCalls = 200;
const maxWebhooks = 200;

export interface NewestCalls {
  readonly items: readonly Call[];
  readonly hasMore: boolean;
}

export function useNewestCalls(period: Period) {
  const client = useClient();
  const { isAllowed } = useScope('calls:read');
  return useQuery({
    queryKey: ['calls', 'newest', period],
    queryFn: async ({ signal }): Promise<NewestCalls> => {
      const createdAfter = new Date(Date.now() - (period === 'day' ? dayMs : 7 * dayMs)).toISOString();
      const page = await client.calls.list({ limit: maxCalls, createdAfter }, { signal });
      return { items: page.items, hasMore: page.nextCursor !== null };
    },
    enabled: isAllowed,
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
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
