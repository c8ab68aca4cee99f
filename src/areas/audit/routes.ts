import type { auditContract } from '../../contract/audit/index.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import type { AuditStore } from './store.ts';

export function auditRoutes(store: AuditStore): Handlers<(typeof auditContract.operations)[number]> {
  return {
    'auditLog.list': async ({ caller, query, position, nextPage }) => {
      const { limit, cursor: _, ...filters } = query;
      return nextPage(await store.page(caller.workspaceId, position?.after ?? null, limit, filters));
    },
  };
}
