import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import type { AuditEntry } from '../../../../sdk/src/index.ts';
import { useClient } from '../../session/use-session.ts';
import { type AuditFilters, auditQuery } from './audit-filters.ts';

const pageSize = 100;

/** The entries that match, as an infinite query. */
export function useAuditList(filters: AuditFilters) {
  const client = useClient();
  const { data, error, isPending, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      queryKey: ['audit', 'list', filters],
      queryFn: async ({ pageParam, signal }) => {
        // The cursor includes the filters, so they are not sent again.
        const place = pageParam === null ? auditQuery(filters) : { cursor: pageParam };
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
    // The table may ask again before this is rendered: that must not cancel the request and send it again.
    if (hasNextPage && !isFetching && error === null) fetchNextPage({ cancelRefetch: false });
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  // A page can be empty although older entries match.
  const isSearching = entries.length === 0 && hasNextPage;
  useEffect(() => {
    if (isSearching) loadMore();
  }, [isSearching, loadMore]);
  return {
    entries,
    isSearching,
    error,
    isPending,
    hasMore: hasNextPage,
    isFetchingNextPage,
    loadMore,
    fetchNextPage,
    refetch,
  };
}
