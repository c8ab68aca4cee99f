import { limitReached } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import type { Database, Queries, Reads, Row } from '../../storage/database.ts';
import type { DocumentKind } from '../../storage/documents/document-kind.ts';
import type { StoredDocuments } from '../../storage/documents/rewriting.ts';
import { afterEveryId, boundedPageSql, createPageReader, ordinaryBytes, type Page } from '../../storage/page.ts';

export interface ResourceKind<Resource> {
  readonly kind: DocumentKind;
  readonly table: 'analytics_views' | 'analytics_alerts';
  readonly idPrefix: string;
  /** In messages. */
  readonly plural: string;
  readonly maxCount: number;
  readonly tagOf: (resource: Resource) => string;
}

export interface StoredResource<Resource> {
  readonly resource: Resource;
  readonly etag: string;
  readonly documentVersion: number;
}

/** SQL for views and alerts, which are stored alike. */
export function createStoredResources<Resource extends { readonly id: string }>(
  database: Database,
  { kind, table, idPrefix, plural, maxCount, tagOf }: ResourceKind<Resource>,
) {
  const { dialect } = database;
  const listed = (place: string) => `FROM ${table} WHERE workspace_id = $1 AND id < ${place}`;
  // A query may have many long filters.
  const isLong = `EXISTS (SELECT 1 FROM ${table} WHERE workspace_id = $1 AND octet_length(doc) > ${ordinaryBytes})`;
  const listSql = boundedPageSql(dialect, kind, 'id', listed, isLong);
  const readPage = createPageReader(database, kind);

  const find = async (
    queries: Reads,
    workspaceId: string,
    id: string,
    lock = '',
  ): Promise<StoredResource<Resource> | undefined> => {
    if (!isId(idPrefix, id)) return undefined;
    const row = await queries.get<ResourceRow>(
      `SELECT doc, doc_version, etag FROM ${table} WHERE workspace_id = $1 AND id = $2 ${lock}`,
      [workspaceId, id],
    );
    if (row === undefined) return undefined;
    const { doc, doc_version: documentVersion } = row;
    const resource = kind.parse<Resource>(doc, documentVersion);
    return { resource, etag: documentVersion < kind.version ? tagOf(resource) : row.etag, documentVersion };
  };

  return {
    page: (workspaceId: string, beforeId: string | null, limit: number): Promise<Page<Resource>> =>
      readPage(listSql, [workspaceId, beforeId ?? afterEveryId, limit]),

    read: (workspaceId: string, id: string) => find(database, workspaceId, id),

    /** Locks it until the transaction ends. */
    lock: async (queries: Queries, workspaceId: string, id: string) => {
      const found = await find(queries, workspaceId, id, dialect.forUpdate);
      if (found !== undefined) kind.requireWritable(found.documentVersion);
      return found;
    },

    /** Concurrent creations wait for each other here, so that together they cannot exceed the limit. */
    requireRoom: async (queries: Queries, workspaceId: string): Promise<void> => {
      await queries.get(`SELECT id FROM workspaces WHERE id = $1 ${dialect.forUpdate}`, [workspaceId]);
      const sql = `SELECT count(*) AS count FROM ${table} WHERE workspace_id = $1`;
      const { count = 0 } = (await queries.get<{ count: number }>(sql, [workspaceId])) ?? {};
      if (count >= maxCount) throw limitReached(plural, maxCount);
    },

    /** Resolves to its tag. */
    insert: async (queries: Queries, workspaceId: string, resource: Resource): Promise<string> => {
      const etag = tagOf(resource);
      await queries.write(
        `INSERT INTO ${table} (workspace_id, id, etag, doc, doc_version) VALUES ($1, $2, $3, $4, $5)`,
        [workspaceId, resource.id, etag, JSON.stringify(resource), kind.version],
      );
      return etag;
    },

    /** Replaces one that is locked. Resolves to its tag. */
    replace: async (queries: Queries, workspaceId: string, resource: Resource): Promise<string> => {
      const etag = tagOf(resource);
      await queries.write(
        `UPDATE ${table} SET etag = $3, doc = $4, doc_version = $5 WHERE workspace_id = $1 AND id = $2`,
        [workspaceId, resource.id, etag, JSON.stringify(resource), kind.version],
      );
      return etag;
    },

    remove: async (queries: Queries, workspaceId: string, id: string): Promise<void> => {
      await queries.write(`DELETE FROM ${table} WHERE workspace_id = $1 AND id = $2`, [workspaceId, id]);
    },

    documents: {
      kind,
      table,
      key: ['workspace_id', 'id'],
      derived: (resource: Resource) => ({ etag: tagOf(resource) }),
    } satisfies StoredDocuments,
  };
}

export type StoredResources<Resource extends { readonly id: string }> = ReturnType<
  typeof createStoredResources<Resource>
>;

interface ResourceRow extends Row {
  doc: string;
  doc_version: number;
  etag: string;
}
