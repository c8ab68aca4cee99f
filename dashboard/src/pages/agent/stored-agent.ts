import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Agent, VoiceAgents, WithResponse } from '../../../../sdk/src/index.ts';
import { useClient } from '../../session/use-session.ts';

/** An agent as it was read, and the tag with which exactly this can be changed. */
export interface StoredAgent {
  readonly agent: Agent;
  readonly etag: string;
}

export async function readAgent(client: VoiceAgents, id: string, signal?: AbortSignal): Promise<StoredAgent> {
  return stored(await client.agents.get(id, signal === undefined ? {} : { signal }).withResponse());
}

export function stored({ data, response }: WithResponse<Agent>): StoredAgent {
  // Without a tag a change would be made whatever is there: one that matches nothing is refused instead.
  return { agent: data, etag: response.etag ?? '"none"' };
}

export function useStoredAgent(id: string) {
  const client = useClient();
  return useQuery({ queryKey: ['agent', id], queryFn: ({ signal }) => readAgent(client, id, signal) });
}

/** After a write: what was answered is what is there, and everything else may be out of date. */
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
