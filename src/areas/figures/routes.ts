import type { figuresContract } from '../../contract/figures/index.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import type { FiguresStore } from './store.ts';

export function figuresRoutes(store: FiguresStore): Handlers<(typeof figuresContract.operations)[number]> {
  return {
    'figures.get': async ({ caller, query }) => ({ body: await store.read(caller.workspaceId, query.period) }),
  };
}
