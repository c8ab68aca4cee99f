import type { analyticsContract } from '../../contract/analytics/index.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import { fieldList } from './field-list.ts';
import type { AnalyticsQueries } from './query/threads.ts';

type AnalyticsHandlers = Handlers<(typeof analyticsContract.operations)[number]>;

export function analyticsRoutes(queries: AnalyticsQueries): AnalyticsHandlers {
  return {
    'analytics.query': async ({ caller, body }) => ({ body: await queries.query(caller.workspaceId, body) }),

    'analytics.fields.list': async ({ caller }) => ({
      body: { items: fieldList(await queries.seenNames(caller.workspaceId)), pagination: { nextCursor: null } },
    }),
  };
}
