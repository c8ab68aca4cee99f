import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Query } from '../../../../sdk/src/request.ts';
import type { Filter } from '../../analytics/query.ts';
import { useClient } from '../../session/use-session.ts';

const pageSize = 50;
const refreshMs = 3000;

/** The calls that are open, refreshed while the page is visible. */
export function useOpenCalls(query: Query | null) {
  const { calls } = useClient();
  const queryClient = useQueryClient();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['calls', 'open', query],
    queryFn: async ({ signal }) => {
      const page = await calls.list({ ...query, limit: pageSize }, { signal });
      return { items: page.items, hasMore: page.nextCursor !== null };
    },
    enabled: query !== null,
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });
  const items = query === null ? [] : (data?.items ?? []);
  // A call that is gone from here has ended, and is in the other list from now on.
  const ids = items.map(({ id }) => id).join();
  const last = useRef(ids);
  useEffect(() => {
    const isMissing = last.current.split(',').some((id) => id !== '' && !ids.includes(id));
    last.current = ids;
    if (isMissing) queryClient.invalidateQueries({ queryKey: ['calls', 'finished'] });
  }, [ids, queryClient]);
  return { items, hasMore: data?.hasMore ?? false, error, isPending: query !== null && isPending, refetch };
}

/** The calls that are over, newest first. `search`: in place of the query, to search transcripts. */
export function useFinishedCalls(query: Query | null, search: Filter | null = null) {
  const { calls } = useClient();
  const list = useInfiniteQuery({
    queryKey: ['calls', 'finished', query, search],
    queryFn: async ({ pageParam, signal }) => {
      if (search !== null) {
        const next = pageParam === null ? {} : { cursor: pageParam };
        const page = await calls.search({ filter: search, limit: pageSize, ...next }, { signal });
        return { items: page.items, nextCursor: page.nextCursor };
      }
      // The cursor includes the filters, so they are not sent again.
      const place = pageParam === null ? (query ?? {}) : { cursor: pageParam };
      const page = await calls.list({ limit: pageSize, ...place }, { signal });
      return { items: page.items, nextCursor: page.nextCursor };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: query !== null,
    placeholderData: keepPreviousData,
  });
  const items = query === null ? [] : (list.data?.pages.flatMap((page) => page.items) ?? []);
  return { ...list, items, isPending: query !== null && list.isPending };
}

/** The calls that a filter of calls.search finds, newest first. */
export function useFoundCalls(filter: Filter) {
  const { calls } = useClient();
  const list = useInfiniteQuery({
    queryKey: ['calls', 'found', filter],
    queryFn: async ({ pageParam, signal }) => {
      const place = pageParam === null ? {} : { cursor: pageParam };
      const page = await calls.search({ filter, limit: pageSize, ...place }, { signal });
      return { items: page.items, nextCursor: page.nextCursor };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  return { ...list, items: list.data?.pages.flatMap((page) => page.items) ?? [] };
}
