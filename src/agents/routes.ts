import type { CursorCodec } from '../cursor.ts';
import { notFound, validationFailed } from '../errors.ts';
import type { Handlers } from '../http/register.ts';
import { type IdPrefix, isId } from '../ids.ts';
import { buildAgent } from './agent.ts';
import type { AgentStore } from './store.ts';

const pageStart = Buffer.from('{"items":[');

export function agentRoutes(
  store: AgentStore,
  cursors: CursorCodec,
  newId: (prefix: IdPrefix) => string,
  now: () => number,
): Pick<Handlers, 'agents.list' | 'agents.create' | 'agents.get'> {
  return {
    'agents.list': async ({ caller, query }) => {
      const listing = { operationId: 'agents.list', workspaceId: caller.workspaceId };
      const position = query.cursor === undefined ? null : cursors.decode(listing, query.cursor);
      if (position !== null && query.q !== undefined && query.q !== position.search) {
        throw validationFailed({ cursor: ['belongs to another search: q must stay the same from page to page'] });
      }
      const search = position?.search ?? query.q ?? null;
      const page = await store.page(caller.workspaceId, {
        beforeId: position?.afterId ?? null,
        limit: query.limit,
        search,
      });
      if (page.lastId === null || !page.hasMore) {
        return { body: Buffer.concat([pageStart, page.items, Buffer.from('],"pagination":{"nextCursor":null}}')]) };
      }
      const next = cursors.encode(listing, { afterId: page.lastId, search });
      return {
        body: Buffer.concat([pageStart, page.items, Buffer.from(`],"pagination":{"nextCursor":"${next}"}}`)]),
        headers: { link: `</api/v1/agents?limit=${query.limit}&cursor=${next}>; rel="next"` },
      };
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
