import type { Queries, Reads, Row } from '../../../storage/database.ts';

/** The vectors that are wanted. `dimensions`: null if they are not known yet; any will do. */
export interface VectorKind {
  readonly model: string;
  readonly dimensions: number | null;
}

/** A chunk without a vector of this kind. */
export interface MissingChunk {
  readonly id: string;
  readonly documentId: string;
  readonly documentName: string;
  /** What the vector is made of: the words that search finds the chunk by. */
  readonly text: string;
}

export interface VectorCounts {
  readonly chunks: number;
  readonly embedded: number;
  /** The dimensions of the stored vectors, for as long as the provider has not reported them. */
  readonly dimensions: number | null;
}

interface MissingRow extends Row {
  id: string;
  document_id: string;
  name: string;
  heading_path: string;
  text: string;
}

interface CountsRow extends Row {
  chunks: number | string;
  embedded: number | string | null;
  dimensions: number | string | null;
}

const isEmbedded = 'vector_model = $2 AND ($3 = 0 OR dimensions = $3)';

/** Up to `limit` chunks of a base, in the order in which they were created. */
export async function missingChunks(
  queries: Reads,
  baseId: string,
  { model, dimensions }: VectorKind,
  limit: number,
): Promise<MissingChunk[]> {
  const rows = await queries.all<MissingRow>(
    `SELECT chunks.id, document_id, name, heading_path, text FROM chunks
      JOIN documents ON documents.workspace_id = chunks.workspace_id AND documents.id = document_id
      WHERE chunks.id IN (SELECT id FROM chunks
        WHERE base_id = $1 AND (vector_model IS NULL OR NOT (${isEmbedded})) ORDER BY id LIMIT $4)
      ORDER BY chunks.id`,
    [baseId, model, dimensions ?? 0, limit],
  );
  return rows.map(({ id, document_id: documentId, name, heading_path, text }) => {
    const headings: readonly string[] = JSON.parse(heading_path);
    return { id, documentId, documentName: name, text: [[name, ...headings].join(' > '), text].join('\n') };
  });
}

export async function vectorCounts(
  queries: Reads,
  baseId: string,
  { model, dimensions }: VectorKind,
): Promise<VectorCounts> {
  const row = await queries.get<CountsRow>(
    `SELECT count(*) AS chunks, sum(CASE WHEN ${isEmbedded} THEN 1 ELSE 0 END) AS embedded,
        max(CASE WHEN ${isEmbedded} THEN dimensions END) AS dimensions
      FROM chunks WHERE base_id = $1`,
    [baseId, model, dimensions ?? 0],
  );
  return {
    chunks: Number(row?.chunks ?? 0),
    embedded: Number(row?.embedded ?? 0),
    dimensions: dimensions ?? (row?.dimensions == null ? null : Number(row.dimensions)),
  };
}

/** Resolves to false if the chunk is gone, or the document has another name now: the vector was made with the old one. */
export async function storeVector(
  queries: Queries,
  { id, documentName }: MissingChunk,
  model: string,
  vector: Int8Array,
): Promise<boolean> {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  const changed = await queries.run(
    `UPDATE chunks SET vector = $2, vector_model = $3, dimensions = $4 WHERE id = $1
      AND EXISTS (SELECT 1 FROM documents WHERE documents.workspace_id = chunks.workspace_id
        AND documents.id = chunks.document_id AND documents.name = $5)`,
    [id, bytes, model, vector.length, documentName],
  );
  return changed > 0;
}

export async function removeVectors(queries: Queries, documentId: string): Promise<void> {
  await queries.write(
    'UPDATE chunks SET vector = NULL, vector_model = NULL, dimensions = NULL WHERE document_id = $1',
    [documentId],
  );
}
