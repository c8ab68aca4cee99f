import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../session/use-session.ts';
import type { AgentRow } from './agent-list.ts';

/** Which versions an agent has: the one that calls use, and the one that is edited. */
export interface AgentVersions {
  readonly live: number | null;
  readonly draft: number | null;
}

const maxIds = 200;
const none: ReadonlyMap<string, number | null> = new Map();

/**
 * The versions of the rows. What a row itself does not tell, the live version behind a draft, is asked for a page at a
 * time; until then only the draft is known.
 */
export function useAgentVersions(rows: readonly AgentRow[]): (row: AgentRow) => AgentVersions {
  const client = useClient();
  const pages = useMemo(() => pagesOf(rows), [rows]);
  const live = useQueries({
    queries: pages.map((ids) => ({
      queryKey: ['agents', 'states', ids.join()],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const { items } = await client.agents.states.list({ agentId: ids }, { signal });
        return new Map(items.map(({ agentId, publishedVersion }) => [agentId, publishedVersion]));
      },
      structuralSharing: false,
    })),
    combine: combined,
  });
  return useMemo(
    () =>
      ({ id, version, isPublished }) =>
        isPublished ? { live: version, draft: null } : { live: live.get(id) ?? null, draft: version },
    [live],
  );
}

/** The first version of an agent is either live itself, or there is none that is. */
function pagesOf(rows: readonly AgentRow[]): string[][] {
  const ids = rows.filter(({ isPublished, version }) => !isPublished && version > 1).map(({ id }) => id);
  const count = Math.ceil(ids.length / maxIds);
  return Array.from({ length: count }, (_, page) => ids.slice(page * maxIds, (page + 1) * maxIds));
}

/** One function, so that the result stays the same while its parts do. */
function combined(results: readonly { readonly data?: ReadonlyMap<string, number | null> | undefined }[]) {
  const known = results.flatMap(({ data }) => (data === undefined ? [] : [...data]));
  return known.length === 0 ? none : new Map(known);
}
