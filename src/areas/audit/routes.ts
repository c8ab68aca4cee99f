import type { Handlers } from '../../http/operations/handlers.ts';
import type { AuditStore } from './store.ts';

export function auditRoutes(store: AuditStore): Pick<Handlers, 'auditLog.list'> {
  return {
    'auditLog.list': async ({ caller, query, position, nextPage }) => {
      const resourceId = position?.filter ?? query.resourceId ?? null;
      return nextPage(await store.page(caller.workspaceId, position?.after ?? null, query.limit, resourceId));
    },
  };
}
