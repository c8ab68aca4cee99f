import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { VoiceAgents, WithResponse, Workflow } from '../../../../sdk/src/index.ts';
import { useClient } from '../../session/use-session.ts';

const refreshMs = 10_000;

/** A workflow with its ETag. */
export interface StoredWorkflow {
  readonly workflow: Workflow;
  readonly etag: string;
}

export function stored({ data, response }: WithResponse<Workflow>): StoredWorkflow {
  // Without a tag, a change would be unconditional. A tag that never matches is rejected instead.
  return { workflow: data, etag: response.etag ?? '"none"' };
}

export async function readWorkflow(client: VoiceAgents, id: string, signal?: AbortSignal): Promise<StoredWorkflow> {
  return stored(await client.workflows.get(id, signal === undefined ? {} : { signal }).withResponse());
}

export function useStoredWorkflow(id: string) {
  const client = useClient();
  return useQuery({
    queryKey: ['workflows', 'one', id],
    queryFn: ({ signal }) => readWorkflow(client, id, signal),
    refetchInterval: refreshMs,
  });
}

/** After a write: caches the response, and invalidates the lists. */
export function useAfterWrite() {
  const queryClient = useQueryClient();
  return useCallback(
    (written: StoredWorkflow) => {
      queryClient.setQueryData(['workflows', 'one', written.workflow.id], written);
      queryClient.invalidateQueries({ queryKey: ['workflows', 'list'] });
      queryClient.invalidateQueries({ queryKey: ['audit'] });
    },
    [queryClient],
  );
}
