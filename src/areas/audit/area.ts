import { auditContract } from '../../contract/audit/index.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { type AuditStore, createAuditStore, storedEntries } from './store.ts';

/** The audit log of a workspace. All areas record their changes with `record`. */
export function createAudit({ database, newId, now }: Kernel): { area: Area; record: AuditStore['record'] } {
  const store = createAuditStore(database, newId, now);
  const area = defineArea(auditContract, { handlers: auditRoutes(store), documents: storedEntries(database) });
  return { area, record: store.record };
}

function auditRoutes(store: AuditStore): Handlers<(typeof auditContract.operations)[number]> {
  return {
    'auditLog.list': async ({ caller, query, position, nextPage }) => {
      const { limit, cursor: _, ...filters } = query;
      return nextPage(await store.page(caller.workspaceId, position?.after ?? null, limit, filters));
    },
  };
}
