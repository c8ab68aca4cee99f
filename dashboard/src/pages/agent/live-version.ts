import { useQuery } from '@tanstack/react-query';
import type { Agent } from '../../../../sdk/src/index.ts';
import { useClient } from '../../session/use-session.ts';

/** The version that calls use. Null: none is published. Undefined: not known yet. */
export function useLiveVersion({ id, version, isPublished }: Agent): number | null | undefined {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['agent-live', id, version, isPublished],
    queryFn: async ({ signal }) => {
      // Only the latest version can be a draft, so the one before it is published.
      const { items } = await client.agents.versions.list(id, { limit: 2 }, { signal });
      return items.find((each) => each.isPublished)?.version ?? null;
    },
    enabled: !isPublished,
  });
  return isPublished ? version : data;
}
