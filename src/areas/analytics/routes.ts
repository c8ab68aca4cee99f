import { fieldList } from './field-list.ts';
import type { AnalyticsHandlers } from './handlers.ts';
import type { AnalyticsQueries } from './query/threads.ts';
import { refuseTranscripts } from './query/transcripts.ts';

type Handlers = Pick<AnalyticsHandlers, 'analytics.query' | 'analytics.fields.list'>;

export function analyticsRoutes(queries: AnalyticsQueries): Handlers {
  return {
    'analytics.query': async ({ caller, body }) => {
      refuseTranscripts(body);
      return { body: await queries.query(caller.workspaceId, body) };
    },

    'analytics.fields.list': async ({ caller }) => ({
      body: { items: fieldList(await queries.seenNames(caller.workspaceId)), pagination: { nextCursor: null } },
    }),
  };
}
