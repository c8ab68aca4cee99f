import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { Agent } from '../../../../sdk/src/index.ts';
import { useClient } from '../../session/use-session.ts';

/** The first page is waited for; those that follow are asked for before they are needed. */
const firstPageSize = 50;
const pageSize = 200;

/** What the table shows of an agent: the rest of ten thousand of them would be kept for nothing. */
export type AgentRow = Pick<Agent, 'id' | 'name' | 'version' | 'isPublished' | 'voiceId' | 'language' | 'updatedAt'> & {
  readonly engine: Agent['responseEngine']['type'];
};

/** The agents whose name contains `q`, page after page. */
export function useAgentList(q: string) {
  const client = useClient();
  const {
    data,
    error,
    isPending,
    isFetching,
    isFetchingNextPage,
    hasNextPage,
    isPlaceholderData,
    fetchNextPage,
    refetch,
  } = useInfiniteQuery({
    queryKey: ['agents', 'list', q],
    queryFn: async ({ pageParam, signal }) => {
      // A cursor remembers its search, which is not sent beside it.
      const place =
        pageParam === null
          ? { limit: firstPageSize, q: q === '' ? undefined : q }
          : { limit: pageSize, cursor: pageParam };
      const page = await client.agents.list(place, { signal });
      return { rows: page.items.map(rowOf), nextCursor: page.nextCursor };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    // All pages would be read again, one by one: who comes back begins with the first instead.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Comparing what was there with what has come would cost more from page to page.
    structuralSharing: false,
  });
  // The rows themselves stay as they are: a page more costs a copy of their list, and not a look at each of them.
  const rows = useMemo(() => ([] as AgentRow[]).concat(...(data?.pages.map((page) => page.rows) ?? [])), [data]);
  const hasMore = hasNextPage && !isPlaceholderData;
  const loadMore = useCallback(() => {
    if (hasMore && !isFetching && error === null) fetchNextPage();
  }, [hasMore, isFetching, error, fetchNextPage]);
  return { rows, error, isPending, hasMore, isPlaceholderData, isFetchingNextPage, loadMore, fetchNextPage, refetch };
}

function rowOf({ id, name, version, isPublished, voiceId, language, updatedAt, responseEngine }: Agent): AgentRow {
  return { id, name, version, isPublished, voiceId, language, updatedAt, engine: responseEngine.type };
}
