import type { Handlers } from '../../http/operations/handlers.ts';
import type { FiguresStore } from './store.ts';

export function figuresRoutes(store: FiguresStore): Pick<Handlers, 'figures.get'> {
  return {
    'figures.get': async ({ caller, query }) => ({
      body: JSON.stringify(await store.read(caller.workspaceId, query.period)),
    }),
  };
}
