import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Agent, VoiceAgents, WithResponse } from '../../../../sdk/src/index.ts';
import { useClient } from '../../session/use-session.ts';

/** An agent with its ETag. */
export interface StoredAgent {
  readonly agent: Agent;
  readonly etag: string;
}

export async function readAgent(client: VoiceAgents, id: string, signal?: AbortSignal): Promise<StoredAgent> {
  return stored(await client.agents.get(id, signal === undefined ? {} : { signal }).withResponse());
}

export function stored({ data, response }: WithResponse<Agent>): StoredAgent {
  // Without a tag, a change would be unconditional. A tag that never matches is rejected instead.
  return { agent: data, etag: response.etag ?? '"none"' };
}

export function useStoredAgent(id: string) {
  const client = useClient();
  return useQuery({ queryKey: ['agent', id], queryFn: ({ signal }) => readAgent(client, id, signal) });
}

/** After a write: caches the response and invalidates everything else. */
export function useAfterWrite() {
  const queryClient = useQueryClient();
  return useCallback(
    (written: StoredAgent) => {
      const key = ['agent', written.agent.id];
      queryClient.setQueryData(key, written);
      queryClient.invalidateQueries({
        predicate: ({ queryKey: [first, second] }) => first !== 'whoami' && !(first === key[0] && second === key[1]),
      });
    },
    [queryClient],
  );
}
