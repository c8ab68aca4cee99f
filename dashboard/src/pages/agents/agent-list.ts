import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { Agent } from '../../../../sdk/src/index.ts';
import { useClient } from '../../session/use-session.ts';

/** Small for the first page, which the user waits for; larger for the following pages, which are prefetched. */
const firstPageSize = 50;
const pageSize = 200;

/** Only the columns of the table, to save memory with ten thousand agents. */
export type AgentRow = Pick<Agent, 'id' | 'name' | 'version' | 'isPublished' | 'voiceId' | 'language' | 'updatedAt'> & {
  readonly engine: Agent['responseEngine']['type'];
};

/** The agents whose name contains `q`, as an infinite query. */
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
      // The cursor includes the search, so it is not sent again.
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
    // Refetching would load all pages one by one; start with the first one instead.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Structural sharing would get slower with every page.
    structuralSharing: false,
  });
  // Rows are reused, so another page only costs a copy of the list.
  const rows = useMemo(() => ([] as AgentRow[]).concat(...(data?.pages.map((page) => page.rows) ?? [])), [data]);
  const hasMore = hasNextPage && !isPlaceholderData;
  const loadMore = useCallback(() => {
    // The table may ask again before this is rendered: that must not cancel the request and send it again.
    if (hasMore && !isFetching && error === null) fetchNextPage({ cancelRefetch: false });
  }, [hasMore, isFetching, error, fetchNextPage]);
  return { rows, error, isPending, hasMore, isPlaceholderData, isFetchingNextPage, loadMore, fetchNextPage, refetch };
}

function rowOf({ id, name, version, isPublished, voiceId, language, updatedAt, responseEngine }: Agent): AgentRow {
  return { id, name, version, isPublished, voiceId, language, updatedAt, engine: responseEngine.type };
}
