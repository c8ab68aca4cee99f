import { useQueries } from '@tanstack/react-query';
import type { VoiceAgents } from '../../../sdk/src/index.ts';
import { useLanguage } from '../language/language.tsx';
import { useScope, useSession } from '../session/use-session.ts';

/**
 * The names of agents by their ids; null while loading, if none is known, and for other kinds of ids. A deleted agent
 * has the name that it had when it was deleted, marked as deleted.
 */
export function useAgentNames(ids: readonly string[]): readonly (string | null)[] {
  const { client } = useSession();
  const { texts } = useLanguage();
  const { isAllowed } = useScope('agents:read');
  const { isAllowed: mayReadAudit } = useScope('audit:read');
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['agent-name', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => readName(client, id, mayReadAudit, signal),
      enabled: isAllowed && id.startsWith('agt_'),
      staleTime: 60_000,
    })),
    combine: (results) =>
      results.map(({ data }) => (data == null ? null : data.isDeleted ? texts.deletedAgent(data.name) : data.name)),
  });
}

/** Null also for a call without an agent. */
export function useAgentName(id: string | null): string | null {
  const [name = null] = useAgentNames([id ?? '']);
  return name;
}

async function readName(client: VoiceAgents, id: string, mayReadAudit: boolean, signal: AbortSignal) {
  // A search, because reading an agent that has been deleted would count as a rejected request.
  const { items } = await client.agents.list({ q: id, limit: 1 }, { signal });
  const agent = items.find((found) => found.id === id);
  if (agent !== undefined) return { name: agent.name, isDeleted: false };
  if (!mayReadAudit) return null;
  const deletion = { resourceId: id, routeId: ['agents.delete'], limit: 1 };
  const [entry] = (await client.auditLog.list(deletion, { signal })).items;
  return entry?.resourceName == null ? null : { name: entry.resourceName, isDeleted: true };
}
