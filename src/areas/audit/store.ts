import type { AuditRecord } from '../../changes/change.ts';
import type { AuditEntry } from '../../contract/audit.ts';
import type { Database, Queries } from '../../storage/database.ts';
import { afterEveryId, type Page, type PageRow, pageOf, pageSql } from '../../storage/page.ts';

export type AuditStore = ReturnType<typeof createAuditStore>;

/** SQL for the audit log. */
export function createAuditStore(database: Database, newId: (prefix: string) => string, now: () => number) {
  const entriesBefore = (condition: string) => (place: string) =>
    `FROM audit_log WHERE workspace_id = $1 AND id < ${place} ${condition}`;
  const listSql = pageSql(database.dialect, 'id', entriesBefore(''));
  const listOfResourceSql = pageSql(database.dialect, 'id', entriesBefore('AND resource_id = $4'));

  return {
    /** Runs in the transaction of the change. */
    record: async (queries: Queries, { workspaceId, ...record }: AuditRecord): Promise<void> => {
      const { keyId, routeId, resourceId, requestId } = record;
      const entry: AuditEntry = {
        id: newId('aud'),
        at: new Date(now()).toISOString(),
        keyId,
        routeId,
        resourceId,
        requestId,
      };
      const values = [workspaceId, entry.id, resourceId, JSON.stringify(entry)];
      await queries.run('INSERT INTO audit_log (workspace_id, id, resource_id, doc) VALUES ($1, $2, $3, $4)', values);
    },

    page: async (
      workspaceId: string,
      beforeId: string | null,
      limit: number,
      resourceId: string | null,
    ): Promise<Page<AuditEntry>> => {
      const start = [workspaceId, beforeId ?? afterEveryId, limit];
      return pageOf(
        resourceId === null
          ? await database.get<PageRow>(listSql, start)
          : await database.get<PageRow>(listOfResourceSql, [...start, resourceId]),
      );
    },
  };
}
