import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Workflow, WorkflowRun } from '../../../../sdk/src/index.ts';
import { useClient, useScope } from '../../session/use-session.ts';
import { isOpenRun, type RunStatus } from './statuses.ts';

const refreshMs = 5000;
const pageSize = 50;
/** From these, the state of each workflow is known. */
const recentCount = 200;

export interface RunFilters {
  readonly workflowId: string;
  readonly callId: string;
  readonly status: readonly RunStatus[];
}

/** Runs, newest first. */
export function useRuns({ workflowId, callId, status }: RunFilters) {
  const { workflows } = useClient();
  const query = {
    ...(workflowId !== '' && { workflowId }),
    ...(callId !== '' && { callId }),
    ...(status.length > 0 && { status: [...status] }),
  };
  const list = useInfiniteQuery({
    queryKey: ['workflows', 'runs', query],
    queryFn: async ({ pageParam, signal }) => {
      const place = pageParam === null ? query : { cursor: pageParam };
      const page = await workflows.runs.list({ limit: pageSize, ...place }, { signal });
      return { items: page.items, nextCursor: page.nextCursor };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });
  return { ...list, items: list.data?.pages.flatMap(({ items }) => items) ?? [] };
}

export function useRun(id: string) {
  const { workflows } = useClient();
  return useQuery({
    queryKey: ['workflows', 'run', id],
    queryFn: ({ signal }) => workflows.runs.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data === undefined || isOpenRun(state.data) ? 1500 : false),
  });
}

/** All workflows: there are at most 100. */
export function useWorkflowList() {
  const { workflows } = useClient();
  const { isAllowed } = useScope('workflows:read');
  return useQuery({
    queryKey: ['workflows', 'list'],
    queryFn: async ({ signal }): Promise<readonly Workflow[]> =>
      (await workflows.list({ limit: 100 }, { signal })).items,
    enabled: isAllowed,
    refetchInterval: refreshMs,
  });
}

/** The newest runs of all workflows. */
export function useRecentRuns() {
  const { workflows } = useClient();
  const { isAllowed } = useScope('workflows:read');
  return useQuery({
    queryKey: ['workflows', 'recent'],
    queryFn: async ({ signal }): Promise<readonly WorkflowRun[]> =>
      (await workflows.runs.list({ limit: recentCount }, { signal })).items,
    enabled: isAllowed,
    refetchInterval: refreshMs,
  });
}
