import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Agent, AuditEntry } from '../../../../sdk/src/index.ts';
import { useClient, useScope } from '../../session/use-session.ts';

const pageSize = 50;
const maxEntries = 2000;
/** Audit entries are written right after the change, in the same transaction. */
const maxDelayMs = 60_000;

/** The versions of an agent, newest first. */
export function useVersions(id: string) {
  const client = useClient();
  const query = useInfiniteQuery({
    queryKey: ['agent-versions', id],
    queryFn: async ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      const { items, nextCursor } = await client.agents.versions.list(id, { limit: pageSize, ...cursor }, { signal });
      return { items, nextCursor };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const versions = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  return { ...query, versions };
}

/** The audit entries of an agent since a point in time, newest first, if the key may read them. */
export function useTrail(id: string, since: string): readonly AuditEntry[] | null {
  const client = useClient();
  const { isAllowed } = useScope('audit:read');
  const { data } = useQuery({
    queryKey: ['audit', 'agent', id, since],
    queryFn: async ({ signal }) => {
      const entries: AuditEntry[] = [];
      for await (const entry of client.auditLog.list({ resourceId: id, limit: 200 }, { signal })) {
        if (entry.at < since || entries.length === maxEntries) break;
        entries.push(entry);
      }
      return entries;
    },
    enabled: isAllowed,
    placeholderData: keepPreviousData,
  });
  return data ?? null;
}

const changing = new Set(['agents.create', 'agents.update', 'agents.publish', 'agents.versions.restore']);

/** The audit entry of a version's latest change: the first one after it, because entries do not name versions. */
export function entryOf(version: Agent, trail: readonly AuditEntry[]): AuditEntry | undefined {
  const since = Date.parse(version.updatedAt);
  // Duplicating is recorded for the original too, but does not change it.
  const isCopy = version.updatedAt === version.createdAt;
  const candidates = trail.filter(({ at, routeId }) => {
    const delay = Date.parse(at) - since;
    const isChange = changing.has(routeId) || (isCopy && routeId === 'agents.duplicate');
    return isChange && delay >= 0 && delay < maxDelayMs;
  });
  return candidates.reduce<AuditEntry | undefined>(
    (first, entry) => (first === undefined || entry.at < first.at ? entry : first),
    undefined,
  );
}
