import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnalyzeCall, Call, CallAnalysis } from '../../../../../sdk/src/index.ts';
import { isOpen } from '../../../calls/call.ts';
import { useTexts } from '../../../language/language.tsx';
import { useNotice } from '../../../parts/notice.ts';
import { useSingleMutation } from '../../../parts/single-mutation.ts';
import { useClient } from '../../../session/use-session.ts';
import { analysisTexts } from './texts.ts';

const pollMs = 1000;
const pageSize = 20;

/** All analyses of a call, newest first. While one is pending, they are read again. */
export function useAnalyses(call: Call) {
  const { calls } = useClient();
  const queryClient = useQueryClient();
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    // With the setting: another one has removed content.
    queryKey: ['call', call.id, 'analyses', call.dataStorageSetting],
    queryFn: ({ pageParam, signal }) =>
      calls.analysis.list(call.id, { limit: pageSize, ...(pageParam !== null && { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    enabled: !isOpen(call),
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.items.some(({ status }) => status === 'pending') === true ? pollMs : false,
  });
  const analyses = data?.pages.flatMap(({ items }) => items) ?? [];
  const isPending = analyses.some(({ status }) => status === 'pending');
  const wasRead = data !== undefined;
  useEffect(() => {
    // Once it is settled, the call has another analysis.
    if (wasRead && !isPending) void queryClient.invalidateQueries({ queryKey: ['call', call.id], exact: true });
  }, [wasRead, isPending, call.id, queryClient]);
  return { analyses, isPending, wasRead, error, refetch, hasNextPage, fetchNextPage };
}

export function useRerun(call: Call) {
  const { calls } = useClient();
  const texts = useTexts(analysisTexts);
  const notice = useNotice();
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: async () => await calls.analysis.run(call.id),
    onSuccess: () => {
      notice(texts.runStarted);
      return queryClient.invalidateQueries({ queryKey: ['call', call.id, 'analyses'] });
    },
  });
}

export function usePreview(call: Call, onPreview: (analysis: CallAnalysis) => void) {
  const { calls } = useClient();
  return useSingleMutation({
    mutationFn: async (body: AnalyzeCall) => await calls.analysis.preview(call.id, body, { maxRetries: 0 }),
    onSuccess: onPreview,
  });
}
