import { fold } from '../../../core/folding.ts';
import type { Reader, ReaderConnection } from '../../../storage/database.ts';
import type { Turns } from '../../../workers/resident/turns.ts';
import type { BaseCache } from './base-cache.ts';
import { byScore, type FoundChunk, scoreBase, searchBase } from './base-search.ts';
import type { Turn } from './chunk-index.ts';
import { highlightsOf } from './highlights.ts';
import type { LoadedBase } from './loaded-base.ts';
import { passageOf } from './passages.ts';
import { countWeightedTerms, type QueryTerm, queryTerms } from './query.ts';
import {
  type ChunkRow,
  type Neighbor,
  readChunks,
  readHits,
  readNeighbors,
  readRevisions,
  readSmallestBases,
} from './rows.ts';
import type { ExplainRequest, Explanation, SearchHit, SearchMode, SearchRequest, SearchResult } from './search.ts';

/** How old a revision may be if the request accepts one that is not the newest. */
const maxStaleMs = 1000;
/** How far a passage reaches. Chunks have 200 characters or more. */
const maxNeighborDistance = 6;
const chunksPerRead = 100;
const maxPreloadedBases = 1000;

interface Found extends FoundChunk {
  readonly baseId: string;
  readonly base: LoadedBase;
  /** Those of the query, in the language and with the synonyms of the base. */
  readonly terms: readonly QueryTerm[];
}

/** What the search thread does, apart from receiving requests. */
export class Searching {
  readonly #cache: BaseCache;
  readonly #connection: ReaderConnection;
  readonly #turns: Turns;
  /** The connection has one snapshot at a time. */
  #lastRead: Promise<unknown> = Promise.resolve();

  constructor(cache: BaseCache, connection: ReaderConnection, turns: Turns) {
    this.#cache = cache;
    this.#connection = connection;
    this.#turns = turns;
  }

  async search(request: SearchRequest, deadline: number): Promise<SearchResult> {
    const turn = this.#turnsOf(request.workspaceId, deadline);
    /** The revisions that were the newest when the search started, or later. */
    const required = new Map<string, number>();
    // Again if what it found has changed in the meantime, until its time is up.
    for (;;) {
      await turn();
      const searched = await this.#searchBases(request, turn);
      const result = await this.#read((reader) => this.#complete(reader, request, searched, required));
      if (result !== null) return result;
      for (const baseId of request.baseIds) {
        const base = searched.bases.get(baseId);
        if ((base?.revision ?? -1) < (required.get(baseId) ?? -1))
          await this.#cache.refresh(request.workspaceId, baseId);
      }
    }
  }

  /** Loads what may be searched soon, after a start of the service. Resolves to the number of bases. */
  async preload(maxBytes: number): Promise<number> {
    const bases = await this.#read((reader) => readSmallestBases(reader, maxPreloadedBases));
    return this.#cache.fill(bases, maxBytes);
  }

  async #searchBases(request: SearchRequest, turn: Turn): Promise<Searched> {
    const bases = new Map<string, LoadedBase>();
    const found: Found[] = [];
    let mode: SearchMode = 'lexical';
    // One after the other: all of them may not fit into memory.
    for (const baseId of new Set(request.baseIds)) {
      const base = await this.#cache.get(request.workspaceId, baseId);
      if (base === null) continue;
      bases.set(baseId, base);
      const terms = queryTerms(request.query, base.language, base.synonyms);
      const result = await searchBase(base, { ...request, terms }, turn);
      if (result.mode === 'hybrid') mode = 'hybrid';
      found.push(...result.found.map((chunk) => ({ ...chunk, baseId, base, terms })));
    }
    return { bases, found: found.toSorted(byScore).slice(0, request.limit), mode };
  }

  /** Null: what was found is not what is stored, or there is something newer. */
  async #complete(
    reader: Reader,
    request: SearchRequest,
    { bases, found, mode }: Searched,
    required: Map<string, number>,
  ): Promise<SearchResult | null> {
    const { workspaceId } = request;
    const newest = await readRevisions(reader, workspaceId, request.baseIds);
    const rows = await readHits(
      reader,
      found.map(({ chunkId }) => chunkId),
    );
    for (const [baseId, base] of bases) {
      const revision = newest.get(baseId);
      if (revision === base.revision) {
        this.#cache.noteNewest(workspaceId, baseId);
        continue;
      }
      if (revision === undefined) {
        this.#cache.forget(workspaceId, baseId);
        return null;
      }
      if (!required.has(baseId)) required.set(baseId, revision);
      const isRecent = request.mayBeStale === true && this.#cache.age(workspaceId, baseId) < maxStaleMs;
      const isValid = found.every((chunk) => chunk.baseId !== baseId || isUnchanged(chunk, rows.get(chunk.chunkId)));
      if (!isValid) required.set(baseId, revision);
      if (!isValid || !(isRecent || base.revision >= (required.get(baseId) as number))) return null;
      // The next search need not wait for it.
      this.#cache.refresh(workspaceId, baseId).catch(() => {});
    }
    const hits = await this.#hitsOf(reader, request, found, rows);
    const revisions = Object.fromEntries([...bases].map(([baseId, { revision }]) => [baseId, revision]));
    const language = bases.values().next().value?.language ?? 'ja';
    return { hits, revisions, mode, weightedTerms: countWeightedTerms(request.query, language) };
  }

  async #hitsOf(
    reader: Reader,
    { passageCharacters }: SearchRequest,
    found: readonly Found[],
    rows: ReadonlyMap<string, ChunkRow>,
  ): Promise<SearchHit[]> {
    const shown = new Set(found.map(({ chunkId }) => chunkId));
    const hits: SearchHit[] = [];
    for (const { base, terms, chunkId, documentId, ...chunk } of found) {
      const { id: _, baseRevision: __, ...row } = rows.get(chunkId) as ChunkRow;
      const around: readonly Neighbor[] =
        passageCharacters === undefined ? [] : await readNeighbors(reader, documentId, row.index, maxNeighborDistance);
      const own = { id: chunkId, index: row.index, text: row.text };
      hits.push({
        ...row,
        ...chunk,
        chunkId,
        documentName: base.documents.get(documentId)?.name ?? '',
        passage: passageOf(own, around, passageCharacters ?? 0, shown),
        // A model sees passages, a person sees highlights.
        highlights: passageCharacters === undefined ? highlightsOf(row.text, terms, base.language) : [],
      });
    }
    return hits;
  }

  /** Why documents were not found: whether they are in the base, and the best of their chunks. */
  async explain(request: ExplainRequest, deadline: number): Promise<Explanation> {
    const { workspaceId, baseId, documents, contains } = request;
    const turn = this.#turnsOf(workspaceId, deadline);
    await turn();
    const base = await this.#cache.get(workspaceId, baseId);
    const rows = [...(base?.documents.values() ?? [])];
    const wanted = rows.filter(({ id, name }) => documents.includes(id) || documents.includes(name));
    if (base === null || wanted.length === 0) return { isIndexed: false, hasText: false, best: null };
    const documentIds = wanted.map(({ id }) => id);
    const containing = contains === null ? null : await this.#chunksWith(documentIds, contains, turn);
    const terms = queryTerms(request.query, base.language, base.synonyms);
    const { lexical, semantic } = await scoreBase(base, { ...request, terms }, turn);
    let best: Explanation['best'] = null;
    base.index.chunkIds.forEach((chunkId, chunk) => {
      if (!documentIds.includes(base.documentIds[chunk] as string) || containing?.has(chunkId) === false) return;
      const semanticScore = Number.isNaN(semantic?.[chunk] ?? Number.NaN) ? null : (semantic?.[chunk] ?? null);
      best = {
        lexicalScore: Math.max(best?.lexicalScore ?? 0, lexical[chunk] as number),
        semanticScore:
          semanticScore === null ? (best?.semanticScore ?? null) : Math.max(best?.semanticScore ?? -1, semanticScore),
      };
    });
    return { isIndexed: true, hasText: containing === null || containing.size > 0, best };
  }

  async #chunksWith(documentIds: readonly string[], text: string, turn: Turn): Promise<Set<string>> {
    const part = fold(text);
    const ids = new Set<string>();
    for (let from = 0; ; from += chunksPerRead) {
      await turn();
      const range = { documentIds, from, to: from + chunksPerRead };
      const rows = await this.#read((reader) => readChunks(reader, range, { model: null, withContent: true }));
      if (rows.length === 0) return ids;
      for (const { id, content } of rows) if (fold(content?.text ?? '').includes(part)) ids.add(id);
    }
  }

  #read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const result = this.#lastRead.then(() => this.#connection.snapshot(work));
    this.#lastRead = result.catch(() => {});
    return result;
  }

  #turnsOf(workspaceId: string, deadline: number): Turn {
    return async () => {
      await this.#turns.turn(`search ${workspaceId}`);
      if (performance.now() > deadline) throw new Error('The search takes too long.');
    };
  }
}

interface Searched {
  readonly bases: ReadonlyMap<string, LoadedBase>;
  readonly found: readonly Found[];
  readonly mode: SearchMode;
}

function isUnchanged({ base, documentId }: Found, row: ChunkRow | undefined): boolean {
  return row !== undefined && row.baseRevision === base.documents.get(documentId)?.baseRevision;
}
