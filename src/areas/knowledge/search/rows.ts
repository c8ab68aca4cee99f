import type { KnowledgeBase } from '../../../contract/knowledge/knowledge-base.ts';
import type { Reader } from '../../../storage/database.ts';

/** What search reads of a knowledge base. */

export interface BaseRow {
  readonly revision: number;
  readonly language: string;
  readonly synonyms: readonly (readonly string[])[];
  readonly useEmbeddings: boolean;
  /** Whose vectors are to be compared. Null: none. */
  readonly embeddings: EmbeddingModel | null;
}

export interface EmbeddingModel {
  readonly model: string;
  /** Null: those of the document that changed last. */
  readonly dimensions: number | null;
}

export async function readBase(reader: Reader, workspaceId: string, baseId: string): Promise<BaseRow | null> {
  const row = await reader.get<{ doc: string; doc_version: number; revision: number }>(
    'SELECT doc, doc_version, revision FROM knowledge_bases WHERE workspace_id = $1 AND id = $2',
    [workspaceId, baseId],
  );
  if (row === undefined) return null;
  const base = reader.documents.knowledgeBase.parse<KnowledgeBase>(row.doc, row.doc_version);
  const { language, synonyms, useEmbeddings, semantic } = base;
  const { model, dimensions } = semantic;
  const embeddings = useEmbeddings && model !== null ? { model, dimensions } : null;
  return { revision: row.revision, language, synonyms, useEmbeddings, embeddings };
}

export interface BaseKey {
  readonly workspaceId: string;
  readonly baseId: string;
}

/** The bases of all workspaces that have something to search, the smallest first. */
export async function readSmallestBases(reader: Reader, limit: number): Promise<readonly BaseKey[]> {
  const rows = await reader.all<{ workspace_id: string; id: string }>(
    `SELECT workspace_id, id FROM knowledge_bases
      JOIN (SELECT base_id, sum(chunk_count) AS chunks FROM documents WHERE chunk_count > 0 GROUP BY base_id) AS sizes
        ON sizes.base_id = id
      ORDER BY chunks, id LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({ workspaceId: row.workspace_id, baseId: row.id }));
}

/** The revisions of those that exist. */
export async function readRevisions(
  reader: Reader,
  workspaceId: string,
  baseIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.all<{ id: string; revision: number }>(
    `SELECT id, revision FROM knowledge_bases
      WHERE workspace_id = $1 AND id IN (${reader.dialect.textsIn('$2')})`,
    [workspaceId, JSON.stringify(baseIds)],
  );
  return new Map(rows.map(({ id, revision }) => [id, revision]));
}

export interface DocumentRow {
  readonly id: string;
  readonly name: string;
  /** The revision of the base in which search could see the last change of the document. */
  readonly baseRevision: number;
  readonly chunkCount: number;
}

export async function readDocuments(reader: Reader, baseId: string): Promise<readonly DocumentRow[]> {
  const rows = await reader.all<{ id: string; name: string; base_revision: number; chunk_count: number }>(
    'SELECT id, name, base_revision, chunk_count FROM documents WHERE base_id = $1 AND chunk_count > 0 ORDER BY id',
    [baseId],
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    baseRevision: row.base_revision,
    chunkCount: row.chunk_count,
  }));
}

/** Chunks of some documents: those whose index is from `from` to below `to`. */
export interface ChunkRange {
  readonly documentIds: readonly string[];
  readonly from: number;
  readonly to: number;
}

export interface IndexedRow {
  readonly id: string;
  readonly documentId: string;
  /** Null unless it is asked for. */
  readonly content: { readonly headingPath: readonly string[]; readonly text: string } | null;
  /** By the given model. */
  readonly vector: Int8Array | null;
}

interface RawIndexedRow extends Record<string, unknown> {
  id: string;
  document_id: string;
  heading_path?: string;
  text?: string;
  vector: Uint8Array | null;
}

/** In the order of the documents and their chunks, so that an index is built in the same order on both engines. */
export async function readChunks(
  reader: Reader,
  { documentIds, from, to }: ChunkRange,
  options: { readonly model: string | null; readonly withContent: boolean },
): Promise<readonly IndexedRow[]> {
  const rows = await reader.all<RawIndexedRow>(
    `SELECT id, document_id${options.withContent ? ', heading_path, text' : ''},
        CASE WHEN vector_model = $4 THEN vector END AS vector
       FROM chunks
      WHERE document_id IN (${reader.dialect.textsIn('$1')}) AND chunk_index >= $2 AND chunk_index < $3
      ORDER BY document_id, chunk_index`,
    [JSON.stringify(documentIds), from, to, options.model ?? ''],
  );
  return rows.map((row) => ({
    id: row.id,
    documentId: row.document_id,
    content: contentOf(row),
    vector: row.vector === null ? null : new Int8Array(row.vector),
  }));
}

function contentOf({ heading_path, text }: RawIndexedRow): IndexedRow['content'] {
  return heading_path === undefined || text === undefined ? null : { headingPath: JSON.parse(heading_path), text };
}

export async function readContents(
  reader: Reader,
  chunkIds: readonly string[],
): Promise<ReadonlyMap<string, NonNullable<IndexedRow['content']>>> {
  const rows = await reader.all<{ id: string; heading_path: string; text: string }>(
    `SELECT id, heading_path, text FROM chunks WHERE id IN (${reader.dialect.textsIn('$1')})`,
    [JSON.stringify(chunkIds)],
  );
  return new Map(rows.map((row) => [row.id, { headingPath: JSON.parse(row.heading_path), text: row.text }]));
}

/** A chunk as it is shown, with the revision of the base in which its document last changed. */
export interface ChunkRow {
  readonly id: string;
  readonly documentId: string;
  readonly documentRevision: number;
  readonly baseRevision: number;
  readonly index: number;
  readonly headingPath: readonly string[];
  readonly page: number | null;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface RawChunkRow extends Record<string, unknown> {
  id: string;
  document_id: string;
  document_revision: number;
  base_revision: number;
  chunk_index: number;
  heading_path: string;
  page: number | null;
  start_offset: number;
  end_offset: number;
  text: string;
}

export async function readHits(reader: Reader, chunkIds: readonly string[]): Promise<ReadonlyMap<string, ChunkRow>> {
  if (chunkIds.length === 0) return new Map();
  const rows = await reader.all<RawChunkRow>(
    `SELECT chunks.id, document_id, document_revision, base_revision, chunk_index, heading_path, page, start_offset,
        end_offset, text
       FROM chunks JOIN documents ON documents.workspace_id = chunks.workspace_id AND documents.id = document_id
      WHERE chunks.id IN (${reader.dialect.textsIn('$1')})`,
    [JSON.stringify(chunkIds)],
  );
  return new Map(rows.map((row) => [row.id, chunkRowOf(row)]));
}

function chunkRowOf(row: RawChunkRow): ChunkRow {
  return {
    id: row.id,
    documentId: row.document_id,
    documentRevision: row.document_revision,
    baseRevision: row.base_revision,
    index: row.chunk_index,
    headingPath: JSON.parse(row.heading_path),
    page: row.page,
    start: row.start_offset,
    end: row.end_offset,
    text: row.text,
  };
}

export interface Neighbor {
  readonly id: string;
  readonly index: number;
  readonly section: string;
  readonly text: string;
}

/** The chunks of a document around one of them, in order. `section`: its heading path as JSON. */
export async function readNeighbors(
  reader: Reader,
  documentId: string,
  index: number,
  distance: number,
): Promise<readonly Neighbor[]> {
  const rows = await reader.all<{ id: string; chunk_index: number; heading_path: string; text: string }>(
    `SELECT id, chunk_index, heading_path, text FROM chunks
      WHERE document_id = $1 AND chunk_index >= $2 AND chunk_index <= $3 ORDER BY chunk_index`,
    [documentId, index - distance, index + distance],
  );
  return rows.map((row) => ({ id: row.id, index: row.chunk_index, section: row.heading_path, text: row.text }));
}
