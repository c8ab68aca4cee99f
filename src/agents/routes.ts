import { notFound } from '../errors.ts';
import type { Handlers } from '../http/register.ts';
import { type IdPrefix, isId } from '../ids.ts';
import { buildAgent } from './agent.ts';
import type { AgentStore } from './store.ts';

export function agentRoutes(
  store: AgentStore,
  newId: (prefix: IdPrefix) => string,
  now: () => number,
): Pick<Handlers, 'agents.list' | 'agents.create' | 'agents.get'> {
  return {
    'agents.list': async ({ caller, query, position, nextPage }) => {
      const search = position?.search ?? query.q ?? null;
      const page = await store.page(caller.workspaceId, {
        beforeId: position?.afterId ?? null,
        limit: query.limit,
        search,
      });
      return nextPage(page.items, page.hasMore ? page.lastId : null, search);
    },

    'agents.create': async ({ caller, body }) => {
      const createdAt = new Date(now()).toISOString();
      return {
        body: await store.insert(buildAgent(body, { id: newId('agt'), workspaceId: caller.workspaceId, createdAt })),
      };
    },

    'agents.get': async ({ caller, params }) => {
      const document = isId('agt', params.id) ? await store.get(caller.workspaceId, params.id) : undefined;
      if (document === undefined) throw notFound('agent');
      return { body: document };
    },
  };
}
