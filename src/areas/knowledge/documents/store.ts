import type { Document } from '../../../contract/knowledge/document.ts';
import { maxDocuments } from '../../../contract/knowledge/knowledge-base.ts';
import { limitReached } from '../../../core/errors.ts';
import { fold } from '../../../core/folding.ts';
import type { Database, Queries, Reads, Row, Value } from '../../../storage/database.ts';
import type { StoredDocuments } from '../../../storage/documents/rewriting.ts';
import { afterEveryId, type Page, type PageRow, pageOf, pageSql } from '../../../storage/page.ts';
import type { DocumentText } from '../extraction/extraction.ts';
import type { DocumentRow } from './document.ts';

export interface DocumentFilters {
  readonly q?: string | undefined;
  readonly status?: readonly string[] | undefined;
  readonly type?: readonly string[] | undefined;
}

/** Where a document is. */
export interface DocumentPlace {
  readonly workspaceId: string;
  readonly baseId: string;
  readonly documentId: string;
}

/** The columns that change, with the parameters of `replace` in this order. */
const changing = [
  'status',
  'name',
  'folded_name',
  'has_name',
  'doc',
  'doc_version',
  'revision',
  'base_revision',
  'chunk_count',
  'text_bytes',
  'characters',
  'splitting',
  'work',
  'due_at',
  'failure',
  'validators',
  'failures',
  'source_file',
  'source_name',
  'source_type',
  'source_bytes',
  'source_sha256',
  'source_validators',
  'source_fetched_at',
] as const;

const columns = `workspace_id, doc, doc_version, has_name, base_revision, text_bytes, splitting, work, due_at, failure,
  validators, failures, source_file, source_name, source_type, source_bytes, source_sha256, source_validators,
  source_fetched_at`;

export type DocumentStore = ReturnType<typeof createDocumentStore>;

/** SQL for documents and their texts. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createDocumentStore(database: Database) {
  const { dialect } = database;
  const kind = database.documents.document;
  const oneSql = `SELECT ${columns} FROM documents WHERE workspace_id = $1 AND id = $2`;
  const listSql = pageSql(
    dialect,
    kind,
    'id',
    (place) => `FROM documents WHERE base_id = $1 AND id < ${place}
      AND ($4 = '[]' OR status IN (${dialect.textsIn('$4')})) AND ($5 = '[]' OR type IN (${dialect.textsIn('$5')}))
      AND ($6 = '' OR id = $6 OR ${dialect.contains('folded_name', '$7')})`,
  );
  const insertSql = `INSERT INTO documents (workspace_id, id, base_id, type, ${changing.join(', ')})
    VALUES ($1, $2, $3, $4, ${changing.map((_, index) => `$${index + 5}`).join(', ')})`;
  const replaceSql = (more: string) => `UPDATE documents
      SET ${changing.map((column, index) => `${column} = $${index + 3}`).join(', ')}${more}
    WHERE workspace_id = $1 AND id = $2`;
  const keepText = replaceSql('');
  const removeText = replaceSql(', source_text = NULL');

  const rowOf = (row: StoredRow): DocumentRow => ({
    workspaceId: row.workspace_id,
    document: kind.parse<Document>(row.doc, row.doc_version),
    documentVersion: row.doc_version,
    hasName: row.has_name === 1,
    baseRevision: row.base_revision,
    textBytes: row.text_bytes,
    splitting: row.splitting,
    work: row.work,
    dueAt: row.due_at,
    failure: parsed(row.failure),
    validators: parsed(row.validators),
    failures: row.failures,
    fileName: row.source_name,
    source:
      row.source_sha256 === null
        ? null
        : {
            file: row.source_file,
            contentType: row.source_type,
            bytes: row.source_bytes ?? 0,
            sha256: row.source_sha256,
            validators: parsed(row.source_validators),
            fetchedAt: row.source_fetched_at,
          },
  });
  const find = async (queries: Reads, workspaceId: string, id: string, lock = ''): Promise<DocumentRow | undefined> => {
    const row = await queries.get<StoredRow>(`${oneSql} ${lock}`, [workspaceId, id]);
    return row === undefined ? undefined : rowOf(row);
  };
  /** The values of `changing`. */
  const valuesOf = (row: DocumentRow): Value[] => {
    const { document, source } = row;
    return [
      document.status,
      document.name,
      fold(document.name),
      Number(row.hasName),
      JSON.stringify(document),
      kind.version,
      document.revision,
      row.baseRevision,
      document.chunkCount ?? 0,
      row.textBytes,
      document.characterCount ?? 0,
      row.splitting,
      row.work,
      row.dueAt,
      stored(row.failure),
      stored(row.validators),
      row.failures,
      source?.file ?? null,
      row.fileName,
      source?.contentType ?? null,
      source?.bytes ?? null,
      source?.sha256 ?? null,
      stored(source?.validators ?? null),
      source?.fetchedAt ?? null,
    ];
  };

  return {
    page: async (
      baseId: string,
      beforeId: string | null,
      limit: number,
      { q = '', status = [], type = [] }: DocumentFilters,
    ): Promise<Page<Document>> => {
      const filters = [JSON.stringify(status), JSON.stringify(type), q, fold(q)];
      return pageOf(await database.get<PageRow>(listSql, [baseId, beforeId ?? afterEveryId, limit, ...filters]), kind);
    },

    read: (queries: Reads, workspaceId: string, id: string) => find(queries, workspaceId, id),

    /** Locks the document until the transaction ends: after its base, if the base changes too. */
    lock: async (queries: Queries, workspaceId: string, id: string): Promise<DocumentRow | undefined> => {
      const row = await find(queries, workspaceId, id, dialect.forFieldUpdate);
      if (row !== undefined) kind.requireWritable(row.documentVersion);
      return row;
    },

    /** In a locked base, so that concurrent requests together cannot exceed the limit. */
    requireRoom: async (queries: Queries, baseId: string): Promise<void> => {
      const sql = 'SELECT count(*) AS count FROM documents WHERE base_id = $1';
      const { count = 0 } = (await queries.get<{ count: number }>(sql, [baseId])) ?? {};
      if (Number(count) >= maxDocuments) throw limitReached('documents in this knowledge base', maxDocuments);
    },

    insert: async (queries: Queries, row: DocumentRow): Promise<void> => {
      const { id, knowledgeBaseId, type } = row.document;
      await queries.write(insertSql, [row.workspaceId, id, knowledgeBaseId, type, ...valuesOf(row)]);
    },

    /** Replaces a document that is locked. The text of a source that is gone is removed. */
    replace: async (queries: Queries, row: DocumentRow): Promise<void> => {
      await queries.write(row.source === null ? removeText : keepText, [
        row.workspaceId,
        row.document.id,
        ...valuesOf(row),
      ]);
    },

    /** The text of a source that is not in a file. */
    setSourceText: async (queries: Queries, { workspaceId, document }: DocumentRow, text: string): Promise<void> => {
      const sql = 'UPDATE documents SET source_text = $3 WHERE workspace_id = $1 AND id = $2';
      await queries.write(sql, [workspaceId, document.id, text]);
    },

    sourceText: async (workspaceId: string, id: string): Promise<string | null> => {
      const sql = 'SELECT source_text FROM documents WHERE workspace_id = $1 AND id = $2';
      return (await database.get<{ source_text: string | null }>(sql, [workspaceId, id]))?.source_text ?? null;
    },

    /** After its chunks. */
    remove: async (queries: Queries, { workspaceId, document }: DocumentRow): Promise<void> => {
      const own = [workspaceId, document.id];
      await queries.write('DELETE FROM document_texts WHERE workspace_id = $1 AND document_id = $2', own);
      await queries.write('DELETE FROM documents WHERE workspace_id = $1 AND id = $2', own);
    },

    idsOfBase: async (queries: Reads, baseId: string): Promise<string[]> => {
      const rows = await queries.all<{ id: string }>('SELECT id FROM documents WHERE base_id = $1 ORDER BY id', [
        baseId,
      ]);
      return rows.map(({ id }) => id);
    },

    /** Documents whose deadline has passed. */
    overdue: async (at: number, limit: number): Promise<DocumentPlace[]> => {
      const sql = `SELECT workspace_id, base_id, id FROM documents WHERE due_at <= $1 ORDER BY due_at LIMIT ${limit}`;
      const rows = await database.all<{ workspace_id: string; base_id: string; id: string }>(sql, [at]);
      return rows.map((row) => ({ workspaceId: row.workspace_id, baseId: row.base_id, documentId: row.id }));
    },

    readText: async (queries: Reads, workspaceId: string, id: string): Promise<DocumentText | null> => {
      const row = await queries.get<TextRow>(
        'SELECT text, page_offsets, structure FROM document_texts WHERE workspace_id = $1 AND document_id = $2',
        [workspaceId, id],
      );
      if (row === undefined) return null;
      return { text: row.text, pageOffsets: parsed(row.page_offsets), structure: row.structure ?? '[]' };
    },

    writeText: async (queries: Queries, { workspaceId, document }: DocumentRow, text: DocumentText): Promise<void> => {
      await queries.write(
        `INSERT INTO document_texts (workspace_id, document_id, text, page_offsets, structure) VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (workspace_id, document_id) DO UPDATE
          SET text = excluded.text, page_offsets = excluded.page_offsets, structure = excluded.structure`,
        [workspaceId, document.id, text.text, stored(text.pageOffsets), text.structure],
      );
    },

    /** The texts of all documents of a base, by name. */
    texts: (baseId: string) =>
      database.all<{ document: string; text: string }>(
        `SELECT documents.name AS document, document_texts.text AS text FROM documents
          JOIN document_texts ON document_texts.workspace_id = documents.workspace_id
            AND document_texts.document_id = documents.id
          WHERE documents.base_id = $1 ORDER BY documents.name, documents.id`,
        [baseId],
      ),
  };
}

export function storedDocuments({ documents: { document: kind } }: Database): StoredDocuments[] {
  return [{ kind, table: 'documents', key: ['workspace_id', 'id'] }];
}

function parsed<T>(json: string | null): T | null {
  return json === null ? null : JSON.parse(json);
}

function stored(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

interface TextRow extends Row {
  text: string;
  page_offsets: string | null;
  structure: string | null;
}

interface StoredRow extends Row {
  workspace_id: string;
  doc: string;
  doc_version: number;
  has_name: number;
  base_revision: number;
  text_bytes: number;
  splitting: string | null;
  work: number;
  due_at: number | null;
  failure: string | null;
  validators: string | null;
  failures: number;
  source_file: string | null;
  source_name: string | null;
  source_type: string | null;
  source_bytes: number | null;
  source_sha256: string | null;
  source_validators: string | null;
  source_fetched_at: number | null;
}
