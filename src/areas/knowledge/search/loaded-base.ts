import type { Reader } from '../../../storage/database.ts';
import { AddedChunks, bytesOfIndex, type ChunkIndex, emptyIndex, replaceChunks, type Turn } from './chunk-index.ts';
import {
  type BaseRow,
  type ChunkRange,
  type DocumentRow,
  type EmbeddingModel,
  type IndexedRow,
  readBase,
  readChunks,
  readContents,
  readDocuments,
} from './rows.ts';
import { everydaySynonyms, prepareSynonyms, type SynonymGroups } from './synonyms.ts';
import { normOf, type Vectors } from './vectors.ts';

/** A base as it is in memory, at one revision. Never changed: the next revision is another object. */
export interface LoadedBase {
  readonly revision: number;
  readonly language: string;
  readonly synonyms: readonly SynonymGroups[];
  /** Whether its vectors, if there are any, are compared. */
  readonly useEmbeddings: boolean;
  /** The model of its vectors. Null: there are none to compare. */
  readonly model: string | null;
  readonly documents: ReadonlyMap<string, DocumentRow>;
  readonly index: ChunkIndex;
  /** The document of each chunk. */
  readonly documentIds: readonly string[];
  readonly vectors: Vectors | null;
  readonly bytes: number;
}

/** How many chunks are read and indexed before others get a turn: a few milliseconds. */
const chunksPerTurn = 40;
/** How many postings are collected before they are added to the index, which copies it. */
const postingsPerMerge = 2_000_000;
/** Terms of chunks that are gone stay numbered. From this share on, the index is built anew. */
const maxUnusedShare = 0.5;

/**
 * Reads a base from one snapshot. Of `previous`, everything that is still valid is kept: only chunks of documents that
 * have changed since are read, and only those that are new are indexed. Null: the base does not exist.
 */
export async function loadBase(
  reader: Reader,
  base: { readonly workspaceId: string; readonly baseId: string },
  previous: LoadedBase | null,
  turn: Turn,
): Promise<LoadedBase | null> {
  const row = await readBase(reader, base.workspaceId, base.baseId);
  if (row === null) return null;
  if (row.revision === previous?.revision) return previous;
  const documents = new Map((await readDocuments(reader, base.baseId)).map((document) => [document.id, document]));
  const isSimilar =
    previous?.language === row.language &&
    previous.useEmbeddings === row.useEmbeddings &&
    previous.model === (row.embeddings?.model ?? null);
  const start = isSimilar && !hasManyUnusedTerms(previous.index) ? previous : null;
  const loading = new Loading(reader, row, documents, start, turn);
  return loading.run();
}

function hasManyUnusedTerms({ starts, termCount }: ChunkIndex): boolean {
  let unused = 0;
  for (let term = 0; term < termCount; term += 1) if (starts[term] === starts[term + 1]) unused += 1;
  return termCount > 10_000 && unused > maxUnusedShare * termCount;
}

class Loading {
  readonly #reader: Reader;
  readonly #row: BaseRow;
  readonly #documents: ReadonlyMap<string, DocumentRow>;
  readonly #previous: LoadedBase | null;
  readonly #embeddings: EmbeddingModel | null;
  readonly #turn: Turn;
  #index: ChunkIndex;
  #added: AddedChunks;
  #documentIds: string[];
  /** Numbers of chunks of the previous index. */
  readonly #removed = new Set<number>();
  /** The vectors of documents that have changed, by chunk id; null for chunks without one. */
  readonly #vectors = new Map<string, Int8Array | null>();
  #dimensions: number | null;
  #dimensionsOf = -1;

  constructor(
    reader: Reader,
    row: BaseRow,
    documents: ReadonlyMap<string, DocumentRow>,
    previous: LoadedBase | null,
    turn: Turn,
  ) {
    const { embeddings } = row;
    this.#reader = reader;
    this.#row = row;
    this.#documents = documents;
    this.#previous = previous;
    this.#embeddings = embeddings;
    this.#turn = turn;
    this.#index = previous?.index ?? emptyIndex();
    this.#added = new AddedChunks(this.#index.terms, row.language);
    this.#documentIds = [...(previous?.documentIds ?? [])];
    this.#dimensions = embeddings?.dimensions ?? previous?.vectors?.dimensions ?? null;
  }

  async run(): Promise<LoadedBase> {
    const known = this.#chunksOfPrevious();
    const added: DocumentRow[] = [];
    for (const document of this.#documents.values()) {
      const before = this.#previous?.documents.get(document.id);
      // The name is part of what a chunk is found by.
      if (before === undefined || before.name !== document.name) added.push(document);
      else if (before.baseRevision !== document.baseRevision) {
        await this.#replaceChunksOf(document, known.get(document.id) ?? new Map());
        known.delete(document.id);
      } else known.delete(document.id);
    }
    // What is left belongs to documents that are gone or are read as a whole.
    for (const chunks of known.values()) for (const chunk of chunks.values()) this.#removed.add(chunk);
    for (const range of rangesOf(added)) {
      const rows = await readChunks(this.#reader, range, { model: this.#model, withContent: true });
      for (const row of rows) this.#add(row, row.content);
      await this.#pause();
    }
    return this.#finish();
  }

  get #model(): string | null {
    return this.#embeddings?.model ?? null;
  }

  /** The numbers of chunks by their ids, by document. */
  #chunksOfPrevious(): Map<string, Map<string, number>> {
    const known = new Map<string, Map<string, number>>();
    this.#index.chunkIds.forEach((chunkId, chunk) => {
      const documentId = this.#documentIds[chunk] as string;
      const chunks = known.get(documentId) ?? new Map<string, number>();
      known.set(documentId, chunks.set(chunkId, chunk));
    });
    return known;
  }

  /** A chunk keeps its id as long as its text and headings are the same: it is not indexed again. */
  async #replaceChunksOf(document: DocumentRow, known: Map<string, number>): Promise<void> {
    for (const range of rangesOf([document])) {
      const rows = await readChunks(this.#reader, range, { model: this.#model, withContent: false });
      const unknown = rows.filter(({ id }) => !known.has(id)).map(({ id }) => id);
      const contents = unknown.length === 0 ? null : await readContents(this.#reader, unknown);
      for (const row of rows) {
        if (known.delete(row.id)) this.#noteVector(row);
        else this.#add(row, contents?.get(row.id) ?? null);
      }
      await this.#pause();
    }
    for (const chunk of known.values()) this.#removed.add(chunk);
  }

  #add(row: IndexedRow, content: IndexedRow['content']): void {
    const document = this.#documents.get(row.documentId);
    if (document === undefined || content === null) return;
    this.#added.add(row.id, searchedTexts(document.name, content));
    this.#documentIds.push(row.documentId);
    this.#noteVector(row);
  }

  #noteVector({ id, documentId, vector }: IndexedRow): void {
    this.#vectors.set(id, vector);
    if (vector === null) return;
    const changedIn = this.#documents.get(documentId)?.baseRevision ?? -1;
    if (this.#embeddings?.dimensions === null && changedIn > this.#dimensionsOf) {
      this.#dimensionsOf = changedIn;
      this.#dimensions = vector.length;
    }
  }

  async #pause(): Promise<void> {
    if (this.#added.postingCount > postingsPerMerge) await this.#merge(new Set());
    await this.#turn();
  }

  async #merge(removed: ReadonlySet<number>): Promise<void> {
    this.#index = await replaceChunks(this.#index, removed, this.#added, this.#turn);
    this.#added = new AddedChunks(this.#index.terms, this.#row.language);
  }

  async #finish(): Promise<LoadedBase> {
    if (this.#removed.size > 0 || this.#added.chunkIds.length > 0) await this.#merge(this.#removed);
    const { revision, language, synonyms, useEmbeddings } = this.#row;
    const vectors = this.#vectorsOfAll();
    const bytesOfVectors = (vectors?.values.byteLength ?? 0) + (vectors?.norms.byteLength ?? 0);
    return {
      revision,
      language,
      synonyms: [prepareSynonyms(synonyms, language), everydaySynonyms(language)],
      useEmbeddings,
      model: this.#model,
      documents: this.#documents,
      index: this.#index,
      documentIds: this.#documentIds.filter((_, chunk) => !this.#removed.has(chunk)),
      vectors,
      bytes: bytesOfIndex(this.#index) + bytesOfVectors + 8 * this.#index.chunkIds.length,
    };
  }

  #vectorsOfAll(): Vectors | null {
    const dimensions = this.#dimensions;
    if (dimensions === null || this.#embeddings === null) return null;
    const { chunkIds } = this.#index;
    const values = new Int8Array(chunkIds.length * dimensions);
    const norms = new Float64Array(chunkIds.length);
    const old = this.#previous?.vectors?.dimensions === dimensions ? this.#previous.vectors : null;
    const oldCount = this.#previous?.index.chunkIds.length ?? 0;
    let oldChunk = 0;
    for (let chunk = 0; chunk < chunkIds.length; chunk += 1) {
      // Chunks of the previous index come first and in the same order.
      while (this.#removed.has(oldChunk)) oldChunk += 1;
      const from = oldChunk < oldCount ? oldChunk : null;
      oldChunk += 1;
      const vector = this.#vectors.get(chunkIds[chunk] as string);
      if (vector?.length === dimensions) {
        values.set(vector, chunk * dimensions);
        norms[chunk] = normOf(vector);
      } else if (vector === undefined && from !== null && old !== null) {
        values.set(old.values.subarray(from * dimensions, (from + 1) * dimensions), chunk * dimensions);
        norms[chunk] = old.norms[from] as number;
      }
    }
    return norms.some((norm) => norm > 0) ? { dimensions, values, norms } : null;
  }
}

/** A name says what a document is about in few words, so that it counts twice. */
function searchedTexts(name: string, { text, headingPath }: NonNullable<IndexedRow['content']>): readonly string[] {
  return [text, name, name, ...headingPath];
}

/** Documents are read together until they have enough chunks, and long ones in parts. */
function rangesOf(documents: readonly DocumentRow[]): readonly ChunkRange[] {
  const ranges: ChunkRange[] = [];
  let documentIds: string[] = [];
  let count = 0;
  const flush = (): void => {
    if (documentIds.length > 0) ranges.push({ documentIds, from: 0, to: chunksPerTurn });
    documentIds = [];
    count = 0;
  };
  for (const { id, chunkCount } of documents) {
    if (count + chunkCount > chunksPerTurn) flush();
    if (chunkCount <= chunksPerTurn) {
      documentIds.push(id);
      count += chunkCount;
      continue;
    }
    for (let from = 0; from < chunkCount; from += chunksPerTurn) {
      ranges.push({ documentIds: [id], from, to: from + chunksPerTurn });
    }
  }
  flush();
  return ranges;
}
