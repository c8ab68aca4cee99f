import { type KnowledgeBase, maxBases } from '../../../contract/knowledge/knowledge-base.ts';
import { limitReached } from '../../../core/errors.ts';
import { fold } from '../../../core/folding.ts';
import type { Database, Queries, Reads, Row } from '../../../storage/database.ts';
import type { StoredDocuments } from '../../../storage/documents/rewriting.ts';
import { afterEveryId, boundedPageSql, createPageReader, ordinaryBytes, type Page } from '../../../storage/page.ts';
import type { AttachedBase } from '../../../voice/knowledge.ts';
import { statusesInWork } from '../documents/document.ts';
import { type BaseCounts, baseTag } from './knowledge-base.ts';

export interface BaseRow {
  readonly base: KnowledgeBase;
  readonly etag: string;
  readonly documentVersion: number;
}

export type BaseStore = ReturnType<typeof createBaseStore>;

/** SQL for knowledge bases. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createBaseStore(database: Database) {
  const { dialect } = database;
  const kind = database.documents.knowledgeBase;
  const oneSql = 'SELECT doc, doc_version, etag FROM knowledge_bases WHERE workspace_id = $1 AND id = $2';
  const listed = (place: string) => `FROM knowledge_bases WHERE workspace_id = $1 AND id < ${place}
      AND ($4 = '' OR id = $4 OR ${dialect.contains('folded_name', '$5')})`;
  // A base with 500 groups of synonyms may have 750 KB.
  const isLong = `EXISTS (SELECT 1 FROM knowledge_bases WHERE workspace_id = $1 AND octet_length(doc) > ${ordinaryBytes})`;
  const listSql = boundedPageSql(dialect, kind, 'id', listed, isLong);
  const readPage = createPageReader(database, kind);
  const countSql = `SELECT count(*) AS documents, coalesce(sum(chunk_count), 0) AS chunks,
      coalesce(sum(text_bytes), 0) AS text_bytes,
      coalesce(sum(CASE WHEN status IN (${statusesInWork.map((status) => `'${status}'`).join(', ')}) THEN 1 ELSE 0 END), 0)
        AS in_work,
      coalesce(sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END), 0) AS failed
    FROM documents WHERE base_id = $1`;

  const find = async (queries: Reads, workspaceId: string, id: string, lock = ''): Promise<BaseRow | undefined> => {
    const row = await queries.get<StoredRow>(`${oneSql} ${lock}`, [workspaceId, id]);
    if (row === undefined) return undefined;
    const base = kind.parse<KnowledgeBase>(row.doc, row.doc_version);
    const etag = row.doc_version < kind.version ? baseTag(base) : row.etag;
    return { base, etag, documentVersion: row.doc_version };
  };
  const lock = async (queries: Queries, workspaceId: string, id: string, how: string): Promise<BaseRow | undefined> => {
    const row = await find(queries, workspaceId, id, how);
    if (row !== undefined) kind.requireWritable(row.documentVersion);
    return row;
  };

  return {
    page: (workspaceId: string, beforeId: string | null, limit: number, q = ''): Promise<Page<KnowledgeBase>> =>
      readPage(listSql, [workspaceId, beforeId ?? afterEveryId, limit, q, fold(q)]),

    read: (queries: Reads, workspaceId: string, id: string) => find(queries, workspaceId, id),

    /** Locks the base until the transaction ends. Always before one of its documents. */
    lock: (queries: Queries, workspaceId: string, id: string) => lock(queries, workspaceId, id, dialect.forFieldUpdate),

    /** The same for a base that is about to be deleted. */
    lockForDeletion: (queries: Queries, workspaceId: string, id: string) =>
      lock(queries, workspaceId, id, dialect.forUpdate),

    /** Concurrent requests wait for each other here, so that together they cannot exceed the limit. */
    requireRoom: async (queries: Queries, workspaceId: string): Promise<void> => {
      await queries.get(`SELECT id FROM workspaces WHERE id = $1 ${dialect.forUpdate}`, [workspaceId]);
      const sql = 'SELECT count(*) AS count FROM knowledge_bases WHERE workspace_id = $1';
      const { count = 0 } = (await queries.get<{ count: number }>(sql, [workspaceId])) ?? {};
      if (count >= maxBases) throw limitReached('knowledge bases', maxBases);
    },

    insert: async (queries: Queries, base: KnowledgeBase): Promise<string> => {
      const etag = baseTag(base);
      await queries.write(
        `INSERT INTO knowledge_bases (workspace_id, id, folded_name, etag, doc, doc_version, revision)
          VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [base.workspaceId, base.id, fold(base.name), etag, JSON.stringify(base), kind.version, base.revision],
      );
      return etag;
    },

    /** Replaces a base that is locked. Resolves to its tag. */
    replace: async (queries: Queries, base: KnowledgeBase): Promise<string> => {
      const etag = baseTag(base);
      await queries.write(
        `UPDATE knowledge_bases SET folded_name = $3, etag = $4, doc = $5, doc_version = $6, revision = $7
          WHERE workspace_id = $1 AND id = $2`,
        [base.workspaceId, base.id, fold(base.name), etag, JSON.stringify(base), kind.version, base.revision],
      );
      return etag;
    },

    remove: async (queries: Queries, { workspaceId, id }: KnowledgeBase): Promise<void> => {
      await queries.write('DELETE FROM knowledge_bases WHERE workspace_id = $1 AND id = $2', [workspaceId, id]);
    },

    counts: async (queries: Reads, baseId: string): Promise<BaseCounts> => {
      const row = await queries.get<CountRow>(countSql, [baseId]);
      return {
        documents: Number(row?.documents ?? 0),
        inWork: Number(row?.in_work ?? 0),
        failed: Number(row?.failed ?? 0),
        chunks: Number(row?.chunks ?? 0),
        textBytes: Number(row?.text_bytes ?? 0),
      };
    },

    /** Whether any of all workspaces has something to search. */
    hasChunks: async (): Promise<boolean> =>
      (await database.get<{ found: number }>('SELECT 1 AS found FROM chunks LIMIT 1', [])) !== undefined,

    /** Filters out ids that are not bases of the workspace. With a transaction, the bases exist until its end. */
    attached: async (
      workspaceId: string,
      ids: readonly string[],
      transaction?: Queries,
    ): Promise<readonly AttachedBase[]> => {
      const rows = await (transaction ?? database).all<{ id: string; revision: number }>(
        `SELECT id, revision FROM knowledge_bases WHERE workspace_id = $1 AND id IN (${dialect.textsIn('$2')})
          ORDER BY id ${transaction === undefined ? '' : dialect.forReference}`,
        [workspaceId, JSON.stringify(ids)],
      );
      const sums = await (transaction ?? database).all<{ base_id: string; characters: number }>(
        `SELECT base_id, sum(characters) AS characters FROM documents
          WHERE base_id IN (${dialect.textsIn('$1')}) GROUP BY base_id`,
        [JSON.stringify(rows.map(({ id }) => id))],
      );
      const characters = new Map(sums.map((sum) => [sum.base_id, Number(sum.characters)]));
      return rows.map(({ id, revision }) => ({ id, revision, characterCount: characters.get(id) ?? 0 }));
    },
  };
}

/** The tags of bases leave out what ingestion changes. */
export function storedBases({ documents: { knowledgeBase: kind } }: Database): StoredDocuments[] {
  const derived = (base: KnowledgeBase) => ({ etag: baseTag(base) });
  return [{ kind, table: 'knowledge_bases', key: ['workspace_id', 'id'], derived }];
}

interface StoredRow extends Row {
  doc: string;
  doc_version: number;
  etag: string;
}

interface CountRow extends Row {
  documents: number;
  in_work: number;
  failed: number;
  chunks: number;
  text_bytes: number;
}
