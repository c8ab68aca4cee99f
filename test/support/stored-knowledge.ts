import { createIdGenerator } from '../../src/core/ids.ts';
import type { Database, Queries } from '../../src/storage/database.ts';

const newId = createIdGenerator();

export interface StoredChunk {
  readonly text: string;
  readonly headingPath?: readonly string[];
  readonly vector?: Int8Array;
}

export interface StoredDocument {
  readonly name: string;
  readonly chunks: readonly StoredChunk[];
}

/** What search reads of a base. */
interface BaseFields {
  readonly language: string;
  readonly synonyms: readonly (readonly string[])[];
  readonly useEmbeddings: boolean;
  readonly semantic: { readonly model: string | null; readonly dimensions: number | null };
}

export const storedModel = 'test-embeddings';

/** A knowledge base with documents as ingestion leaves them, written without it. */
export class StoredBase {
  readonly #database: Database;
  readonly workspaceId: string;
  readonly id = newId('kb');
  #fields: BaseFields = {
    language: 'ja',
    synonyms: [],
    useEmbeddings: true,
    semantic: { model: storedModel, dimensions: null },
  };

  constructor(database: Database, workspaceId: string) {
    this.#database = database;
    this.workspaceId = workspaceId;
  }

  async create(fields: Partial<BaseFields> = {}): Promise<this> {
    this.#fields = { ...this.#fields, ...fields };
    const doc = JSON.stringify(this.#fields);
    await this.#database.run(
      `INSERT INTO knowledge_bases (workspace_id, id, folded_name, etag, doc, doc_version, revision)
       VALUES ($1, $2, 'base', '"1"', $3, 1, 0)`,
      [this.workspaceId, this.id, doc],
    );
    return this;
  }

  update(fields: Partial<BaseFields>): Promise<number> {
    return this.#change(async (queries) => {
      this.#fields = { ...this.#fields, ...fields };
      const doc = JSON.stringify(this.#fields);
      await queries.run('UPDATE knowledge_bases SET doc = $2 WHERE id = $1', [this.id, doc]);
    });
  }

  async add(document: StoredDocument): Promise<string> {
    const [id] = await this.addAll([document]);
    return id as string;
  }

  /** In one transaction. */
  async addAll(documents: readonly StoredDocument[]): Promise<readonly string[]> {
    const ids = documents.map(() => newId('doc'));
    await this.#change(async (queries, revision) => {
      for (const [number, { name, chunks }] of documents.entries()) {
        const id = ids[number] as string;
        await queries.run(
          `INSERT INTO documents (workspace_id, id, base_id, type, status, name, folded_name, has_name, doc, doc_version,
             revision, base_revision, chunk_count, text_bytes, characters, work, failures)
           VALUES ($1, $2, $3, 'text', 'ready', $4, $4, 1, '{}', 1, 1, $5, $6, 0, 0, 1, 0)`,
          [this.workspaceId, id, this.id, name, revision, chunks.length],
        );
        for (const [index, chunk] of chunks.entries()) await this.#addChunk(queries, id, 1, index, chunk);
      }
    });
    return ids;
  }

  /** Chunks with the same text and headings keep their ids. */
  replace(documentId: string, document: StoredDocument): Promise<number> {
    return this.#change(async (queries, revision) => {
      const rows = await queries.all<{ id: string; heading_path: string; text: string }>(
        'SELECT id, heading_path, text FROM chunks WHERE document_id = $1 ORDER BY chunk_index',
        [documentId],
      );
      await queries.run('DELETE FROM chunks WHERE document_id = $1', [documentId]);
      for (const [index, chunk] of document.chunks.entries()) {
        const headings = JSON.stringify(chunk.headingPath ?? []);
        const same = rows.findIndex((row) => row.text === chunk.text && row.heading_path === headings);
        const [kept] = same < 0 ? [] : rows.splice(same, 1);
        await this.#addChunk(queries, documentId, revision, index, chunk, kept?.id);
      }
      await queries.run(
        'UPDATE documents SET name = $2, revision = $3, base_revision = $3, chunk_count = $4 WHERE id = $1',
        [documentId, document.name, revision, document.chunks.length],
      );
    });
  }

  remove(documentId: string): Promise<number> {
    return this.#change(async (queries) => {
      await queries.run('DELETE FROM chunks WHERE document_id = $1', [documentId]);
      await queries.run('DELETE FROM documents WHERE id = $1', [documentId]);
    });
  }

  async delete(): Promise<void> {
    await this.#database.transaction(async (queries) => {
      await queries.run('DELETE FROM chunks WHERE base_id = $1', [this.id]);
      await queries.run('DELETE FROM documents WHERE base_id = $1', [this.id]);
      await queries.run('DELETE FROM knowledge_bases WHERE id = $1', [this.id]);
    });
  }

  async chunkIds(documentId: string): Promise<readonly string[]> {
    const sql = 'SELECT id FROM chunks WHERE document_id = $1 ORDER BY chunk_index';
    return (await this.#database.all<{ id: string }>(sql, [documentId])).map(({ id }) => id);
  }

  #change(work: (queries: Queries, revision: number) => Promise<void>): Promise<number> {
    return this.#database.transaction(async (queries) => {
      await queries.run('UPDATE knowledge_bases SET revision = revision + 1 WHERE id = $1', [this.id]);
      const row = await queries.get<{ revision: number }>('SELECT revision FROM knowledge_bases WHERE id = $1', [
        this.id,
      ]);
      const revision = row?.revision ?? 0;
      await work(queries, revision);
      return revision;
    });
  }

  async #addChunk(
    queries: Queries,
    documentId: string,
    revision: number,
    index: number,
    { text, headingPath = [], vector }: StoredChunk,
    id = newId('chk'),
  ): Promise<void> {
    await queries.write(
      `INSERT INTO chunks (id, workspace_id, base_id, document_id, document_revision, chunk_index, heading_path,
         start_offset, end_offset, text, vector, vector_model, dimensions)
       VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10, $11, $12)`,
      [
        ...[id, this.workspaceId, this.id, documentId, revision, index, JSON.stringify(headingPath), text.length, text],
        vector === undefined ? null : new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
        vector === undefined ? null : storedModel,
        vector?.length ?? null,
      ],
    );
  }
}
