import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { AnalyticsQuery } from '../../../sdk/src/index.ts';
import { useClient, useScope } from '../session/use-session.ts';
import type { Query, Result } from './query.ts';

/** The figures of a query; null does not ask. Those of the last query stay until the next ones are there. */
export function useFigures(query: Query | null, { refetchInterval = false }: Options = {}) {
  const client = useClient();
  const { isAllowed } = useScope('analytics:read');
  return useQuery({
    queryKey: ['analytics', 'query', query],
    queryFn: async ({ signal }): Promise<Result> => client.analytics.query(query as AnalyticsQuery, { signal }),
    enabled: query !== null && isAllowed,
    staleTime: freshMs,
    refetchInterval,
    placeholderData: keepPreviousData,
  });
}

interface Options {
  readonly refetchInterval?: number | false;
}

/** Long enough for going to the calls behind a figure and back. */
const freshMs = 60_000;
