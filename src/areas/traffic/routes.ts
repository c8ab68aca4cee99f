import type { trafficContract } from '../../contract/traffic/index.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import type { RequestStatsStore } from './store.ts';

export function trafficRoutes(store: RequestStatsStore): Handlers<(typeof trafficContract.operations)[number]> {
  return {
    'figures.get': async ({ caller, query }) => ({ body: await store.read(caller.workspaceId, query.period) }),
  };
}
