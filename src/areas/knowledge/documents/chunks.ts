import type { Chunk } from '../../../contract/knowledge/document.ts';
import type { Database, Queries, Reads, Row, Value } from '../../../storage/database.ts';
import { maxPageBytes, type Page } from '../../../storage/page.ts';
import type { ExtractedChunk } from '../extraction/extraction.ts';
import { createPauses } from '../pauses.ts';
import type { DocumentRow } from './document.ts';

const columns = `id, document_id, document_revision, chunk_index, heading_path, page, start_offset, end_offset, text`;
/** Rows of one statement: two sizes only, because statements stay prepared. */
const batchSize = 40;
/** How many are read at once, so that a document with 20,000 does not hold up the process. */
const readSize = 200;

export type ChunkStore = ReturnType<typeof createChunkStore>;

/** SQL for chunks. */
export function createChunkStore(database: Database, newId: (prefix: string) => string) {
  const removeSql = `DELETE FROM chunks WHERE id IN (${database.dialect.textsIn('$1')})`;
  const removeChunks = async (queries: Queries, ids: readonly string[], pause: () => Promise<void>): Promise<void> => {
    for (let start = 0; start < ids.length; start += batchSize) {
      await queries.write(removeSql, [JSON.stringify(ids.slice(start, start + batchSize))]);
      await pause();
    }
  };

  return {
    read: async (baseId: string, id: string): Promise<Chunk | undefined> => {
      const sql = `SELECT ${columns} FROM chunks WHERE id = $1 AND base_id = $2`;
      const row = await database.get<ChunkRow>(sql, [id, baseId]);
      return row === undefined ? undefined : chunkOf(row);
    },

    /** In the order of the document, after an index; null: from the start. */
    page: async (documentId: string, after: number | null, limit: number): Promise<Page<Chunk>> => {
      const sql = `SELECT ${columns} FROM chunks WHERE document_id = $1 AND chunk_index > $2 ORDER BY chunk_index LIMIT $3`;
      const rows = await database.all<ChunkRow>(sql, [documentId, after ?? -1, limit + 1]);
      const items: string[] = [];
      let bytes = 0;
      let last: number | null = null;
      for (const row of rows.slice(0, limit)) {
        const item = JSON.stringify(chunkOf(row));
        bytes += Buffer.byteLength(item);
        if (bytes > maxPageBytes && items.length > 0) break;
        items.push(item);
        last = row.chunk_index;
      }
      const next = items.length < rows.length && last !== null ? String(last) : null;
      return { items: Buffer.from(items.join()), next };
    },

    /**
     * Replaces the chunks of a document by those of `document.revision`. A chunk whose text and headings are the same keeps
     * its id and its vector. `isSameText`: resolves to false, and writes nothing, if all of them are where they were.
     */
    replace: async (
      queries: Queries,
      { workspaceId, document }: DocumentRow,
      chunks: readonly ExtractedChunk[],
      { isSameText }: { readonly isSameText: boolean },
    ): Promise<boolean> => {
      const pause = createPauses();
      const former = await FormerChunks.read(queries, document.id, pause);
      const added: ExtractedChunk[] = [];
      const moved: { readonly row: FormerRow; readonly chunk: ExtractedChunk }[] = [];
      let staying = 0;
      for (const chunk of chunks) {
        const row = former.take(JSON.stringify(chunk.headingPath), chunk.text);
        if (row === undefined) added.push(chunk);
        else if (!isInPlace(row, chunk)) moved.push({ row, chunk });
        else staying += 1;
        await pause();
      }
      const removed = former.left();
      if (isSameText && staying === chunks.length && removed.length === 0) return false;
      await removeChunks(queries, removed, pause);
      for (const { row, chunk } of moved) {
        await queries.write(
          'UPDATE chunks SET chunk_index = $2, page = $3, start_offset = $4, end_offset = $5 WHERE id = $1',
          [row.id, chunk.index, chunk.page, chunk.start, chunk.end],
        );
        await pause();
      }
      await queries.write('UPDATE chunks SET document_revision = $2 WHERE document_id = $1', [
        document.id,
        document.revision,
      ]);
      const own = [workspaceId, document.knowledgeBaseId, document.id, document.revision];
      for (let start = 0; start < added.length; ) {
        const size = added.length - start >= batchSize ? batchSize : 1;
        const rows = added.slice(start, start + size);
        await queries.write(
          size === batchSize ? insertMany : insertOne,
          rows.flatMap((chunk): Value[] => [newId('chk'), ...own, ...valuesOf(chunk)]),
        );
        start += size;
        await pause();
      }
      return true;
    },

    removeOfDocument: async (queries: Queries, documentId: string): Promise<void> => {
      const pause = createPauses();
      for (;;) {
        const sql = `SELECT id FROM chunks WHERE document_id = $1 LIMIT ${readSize}`;
        const rows = await queries.all<{ id: string }>(sql, [documentId]);
        await removeChunks(
          queries,
          rows.map(({ id }) => id),
          pause,
        );
        if (rows.length < readSize) return;
      }
    },
  };
}

/** The chunks that a document has, by their text and headings. Those that are alike are taken in their order. */
class FormerChunks {
  readonly #alike = new Map<string, { readonly rows: FormerRow[]; taken: number }>();

  static async read(queries: Reads, documentId: string, pause: () => Promise<void>): Promise<FormerChunks> {
    const former = new FormerChunks();
    const sql = `SELECT id, chunk_index, heading_path, page, start_offset, end_offset, text FROM chunks
      WHERE document_id = $1 AND chunk_index > $2 ORDER BY chunk_index LIMIT ${readSize}`;
    for (let after = -1; ; ) {
      const rows = await queries.all<FormerRow>(sql, [documentId, after]);
      for (const row of rows) former.#add(row);
      await pause();
      if (rows.length < readSize) return former;
      after = rows.at(-1)?.chunk_index ?? after;
    }
  }

  take(headingPath: string, text: string): FormerRow | undefined {
    const alike = this.#alike.get(keyOf(headingPath, text));
    const row = alike?.rows[alike.taken];
    if (alike !== undefined && row !== undefined) alike.taken += 1;
    return row;
  }

  /** The ids of those that were not taken. */
  left(): string[] {
    return [...this.#alike.values()].flatMap(({ rows, taken }) => rows.slice(taken).map(({ id }) => id));
  }

  #add(row: FormerRow): void {
    const key = keyOf(row.heading_path, row.text);
    const alike = this.#alike.get(key);
    if (alike === undefined) this.#alike.set(key, { rows: [row], taken: 0 });
    else alike.rows.push(row);
  }
}

function keyOf(headingPath: string, text: string): string {
  return `${headingPath}\n${text}`;
}

function isInPlace(row: FormerRow, { index, page, start, end }: ExtractedChunk): boolean {
  return row.chunk_index === index && row.page === page && row.start_offset === start && row.end_offset === end;
}

const parametersOfChunk = 11;

function insertSql(rows: number): string {
  const row = (place: number) =>
    `(${Array.from({ length: parametersOfChunk }, (_, index) => `$${place * parametersOfChunk + index + 1}`).join(', ')})`;
  return `INSERT INTO chunks (id, workspace_id, base_id, document_id, document_revision, chunk_index, heading_path, page,
      start_offset, end_offset, text)
    VALUES ${Array.from({ length: rows }, (_, place) => row(place)).join(', ')}`;
}

const insertOne = insertSql(1);
const insertMany = insertSql(batchSize);

function valuesOf({ index, headingPath, page, start, end, text }: ExtractedChunk): Value[] {
  return [index, JSON.stringify(headingPath), page, start, end, text];
}

function chunkOf(row: ChunkRow): Chunk {
  return {
    id: row.id,
    documentId: row.document_id,
    documentRevision: row.document_revision,
    index: row.chunk_index,
    headingPath: JSON.parse(row.heading_path),
    page: row.page,
    start: row.start_offset,
    end: row.end_offset,
    text: row.text,
  };
}

interface FormerRow extends Row {
  id: string;
  chunk_index: number;
  heading_path: string;
  page: number | null;
  start_offset: number;
  end_offset: number;
  text: string;
}

interface ChunkRow extends FormerRow {
  document_id: string;
  document_revision: number;
}
