import type { AuditRecord } from '../../changes/change.ts';
import type { AuditEntry } from '../../contract/audit/index.ts';
import { firstIdAt } from '../../core/ids.ts';
import { bytesOf, type Database, type Dialect, type Queries } from '../../storage/database.ts';
import type { DocumentKind } from '../../storage/documents/document-kind.ts';
import type { StoredDocuments } from '../../storage/documents/rewriting.ts';
import { afterEveryId, type Page, type PageRow, pageOf, pageSql } from '../../storage/page.ts';

export type AuditStore = ReturnType<typeof createAuditStore>;

/** Combine with AND. Times are in milliseconds. */
export interface AuditFilters {
  readonly resourceId?: string | undefined;
  /** `none` for changes made on the command line. */
  readonly keyId?: string | undefined;
  readonly routeId?: readonly string[] | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
}

/** A page looks at no more entries than this: what has no index is compared one by one. */
export const maxScanned = 5000;

/** SQL for the audit log. */
export function createAuditStore(database: Database, newId: (prefix: string) => string, now: () => number) {
  const kind = database.documents.auditEntry;
  const entriesBefore = (condition: string) => (place: string) =>
    `FROM audit_log WHERE workspace_id = $1 AND id < ${place} ${condition}`;
  const listSql = pageSql(database.dialect, kind, 'id', entriesBefore(''));
  const listOfResourceSql = pageSql(database.dialect, kind, 'id', entriesBefore('AND resource_id = $4'));
  const filtered = filteredSql(database.dialect, kind, entriesBefore(''));
  const filteredOfResource = filteredSql(database.dialect, kind, entriesBefore('AND resource_id = $8'));

  const filteredPage = async (
    workspaceId: string,
    before: string,
    limit: number,
    filters: AuditFilters,
  ): Promise<Page<AuditEntry>> => {
    const { resourceId, keyId, routeId, createdAfter, createdBefore } = filters;
    const end = createdBefore === undefined ? afterEveryId : firstIdAt('aud', createdBefore);
    // Without what has to be compared one by one, one more than the page tells whether another one follows.
    const scanned = keyId === undefined && routeId === undefined ? limit + 1 : maxScanned;
    const values = [
      workspaceId,
      before < end ? before : end,
      createdAfter === undefined ? '' : firstIdAt('aud', createdAfter),
      scanned,
      limit,
      keyId ?? '',
      routeId === undefined ? '' : `,${routeId.join(',')},`,
    ];
    const row =
      resourceId === undefined
        ? await database.get<FilteredRow>(filtered, values)
        : await database.get<FilteredRow>(filteredOfResource, [...values, resourceId]);
    if (row === undefined) return { items: Buffer.alloc(0), next: null };
    const isWindowFull = Number(row.scanned) === scanned;
    const isPageFull = Number(row.matched) === limit;
    const hasMore = isPageFull ? isWindowFull || row.last_place !== row.last_scanned : isWindowFull;
    return {
      items: row.items === null ? Buffer.alloc(0) : bytesOf(kind.currentItems(bytesOf(row.items), row.oldest_version)),
      next: hasMore ? (isPageFull ? row.last_place : row.last_scanned) : null,
    };
  };

  return {
    /** Runs in the transaction of the change. */
    record: async (queries: Queries, { workspaceId, ...record }: AuditRecord): Promise<void> => {
      const { keyId, routeId, resourceId, resourceName = null, requestId } = record;
      const entry: AuditEntry = {
        id: newId('aud'),
        at: new Date(now()).toISOString(),
        keyId,
        routeId,
        resourceId,
        resourceName,
        requestId,
      };
      await queries.write(
        'INSERT INTO audit_log (workspace_id, id, resource_id, doc, doc_version) VALUES ($1, $2, $3, $4, $5)',
        [workspaceId, entry.id, resourceId, JSON.stringify(entry), kind.version],
      );
    },

    /** A page may be short or empty although `next` is not null, if the filters match few entries. */
    page: async (
      workspaceId: string,
      beforeId: string | null,
      limit: number,
      filters: AuditFilters,
    ): Promise<Page<AuditEntry>> => {
      const before = beforeId ?? afterEveryId;
      const { resourceId, ...others } = filters;
      if (Object.values(others).some((value) => value !== undefined)) {
        return filteredPage(workspaceId, before, limit, filters);
      }
      const start = [workspaceId, before, limit];
      return pageOf(
        resourceId === undefined
          ? await database.get<PageRow>(listSql, start)
          : await database.get<PageRow>(listOfResourceSql, [...start, resourceId]),
        kind,
      );
    },
  };
}

export function storedEntries({ documents }: Database): StoredDocuments[] {
  return [{ kind: documents.auditEntry, table: 'audit_log', key: ['workspace_id', 'id'] }];
}

interface FilteredRow extends Pick<PageRow, 'items' | 'oldest_version'> {
  [column: string]: unknown;
  last_place: string | null;
  last_scanned: string | null;
  matched: number | string;
  scanned: number | string;
}

/**
 * Compares the newest entries before $2, from $3 on, up to $4 of them, and returns up to $5 that match the key $6 and the
 * routes $7; both are empty if they do not matter.
 */
function filteredSql(
  { engine, bytes, joined }: Dialect,
  kind: DocumentKind,
  entriesBefore: (place: string) => string,
): string {
  const field = (name: string) => (engine === 'sqlite' ? `doc ->> '${name}'` : `doc::json ->> '${name}'`);
  const contains = engine === 'sqlite' ? 'instr($7, name)' : 'position(name IN $7)';
  const route = `(',' || (${field('routeId')}) || ',')`;
  return `WITH scanned AS (SELECT id, doc, doc_version ${entriesBefore('$2')} AND id >= $3 ORDER BY id DESC LIMIT $4 + 0),
    page AS (SELECT id, doc, doc_version FROM scanned
      WHERE ($6 = '' OR coalesce(${field('keyId')}, 'none') = $6)
        AND ($7 = '' OR ${contains.replace('name', route)} > 0)
      ORDER BY id DESC LIMIT $5 + 0)
    SELECT ${bytes('items')} AS items, oldest_version, last_place, matched, last_scanned, scanned
    FROM (SELECT ${joined(kind.itemSql(), 'id DESC')} AS items, min(doc_version) AS oldest_version,
        min(id) AS last_place, count(*) AS matched FROM page) AS pages,
      (SELECT min(id) AS last_scanned, count(*) AS scanned FROM scanned) AS scan`;
}
