import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { AuditEntry } from '../../../../sdk/src/index.ts';
import { useClient } from '../../session/use-session.ts';

const pageSize = 100;

/** The entries of one resource, or of all (''), as an infinite query. */
export function useAuditList(resourceId: string) {
  const client = useClient();
  const { data, error, isPending, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      queryKey: ['audit', 'list', resourceId],
      queryFn: async ({ pageParam, signal }) => {
        // The cursor includes the filter, so it is not sent again.
        const place = pageParam === null ? { resourceId: resourceId || undefined } : { cursor: pageParam };
        const page = await client.auditLog.list({ limit: pageSize, ...place }, { signal });
        return { entries: page.items, nextCursor: page.nextCursor };
      },
      initialPageParam: null as string | null,
      getNextPageParam: ({ nextCursor }) => nextCursor,
      gcTime: 0,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      structuralSharing: false,
    });
  // Entries are reused, so another page only costs a copy of the list.
  const entries = useMemo(
    () => ([] as AuditEntry[]).concat(...(data?.pages.map((page) => page.entries) ?? [])),
    [data],
  );
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching && error === null) fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  return { entries, error, isPending, hasMore: hasNextPage, isFetchingNextPage, loadMore, fetchNextPage, refetch };
}
