import { auditContract } from '../../contract/audit/index.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { auditRoutes } from './routes.ts';
import { type AuditStore, createAuditStore, storedEntries } from './store.ts';

/** The audit log of a workspace. All areas record their changes with `record`. */
export function createAudit({ database, newId, now }: Kernel): { area: Area; record: AuditStore['record'] } {
  const store = createAuditStore(database, newId, now);
  const area = defineArea(auditContract, { handlers: auditRoutes(store), documents: storedEntries(database) });
  return { area, record: store.record };
}
