/** What the search thread does for the rest of the area; `resident-search.ts` implements it. */
export interface KnowledgeSearch {
  /**
   * Every base is searched at one revision: the newest one when the search starts. Bases that do not exist have no hits
   * and are missing in `revisions`. Rejects with SERVICE_UNAVAILABLE if it takes too long or the thread has ended.
   */
  search(request: SearchRequest): Promise<SearchResult>;
  /** For an evaluation: why documents were not among the hits. */
  explain(request: ExplainRequest): Promise<Explanation>;
  /** Loads bases that are likely to be searched soon. */
  load(workspaceId: string, baseIds: readonly string[]): void;
  /** Loads small bases of all workspaces, after a start of the service. Resolves to how many. */
  preload(): Promise<number>;
  /** A change of the base has been committed. */
  changed(workspaceId: string, baseId: string): void;
  /** The base has been deleted. */
  removed(workspaceId: string, baseId: string): void;
  /** What the bases take that are in memory. */
  memoryBytes(): Promise<number>;
  close(): Promise<void>;
}

export interface SearchRequest {
  readonly workspaceId: string;
  /** Up to 10. */
  readonly baseIds: readonly string[];
  /** Up to 500 characters are searched for; the rest is ignored. */
  readonly query: string;
  readonly limit: number;
  readonly minScore: number;
  readonly minSemanticScore: number;
  /** The query's embedding. Null: lexical. */
  readonly vector: QueryVector | null;
  /** Also accepts the revision in memory if it was the newest one a second ago: for calls, which must not wait. */
  readonly mayBeStale?: boolean;
  /**
   * Characters to which `passage` is extended by neighbors under the same heading, for a model: hits then have no
   * highlights. Without it, `passage` is the text.
   */
  readonly passageCharacters?: number;
}

/** The embedding of a query. It is compared with vectors of the same model only. */
export interface QueryVector {
  readonly model: string;
  readonly values: Int8Array;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** The revision of each base that was searched, by id. */
  readonly revisions: Readonly<Record<string, number>>;
  /** `hybrid`: a vector was given, and at least one chunk has a vector to compare it with. */
  readonly mode: SearchMode;
  /** How many terms of the query have weight 1: most others are grammar. */
  readonly weightedTerms: number;
}

export type SearchMode = 'lexical' | 'hybrid';

export interface SearchHit {
  readonly baseId: string;
  readonly documentId: string;
  readonly documentRevision: number;
  readonly documentName: string;
  readonly chunkId: string;
  readonly index: number;
  readonly headingPath: readonly string[];
  readonly page: number | null;
  /** Offsets in the extracted text of the document, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly passage: string;
  readonly score: number;
  readonly lexicalScore: number;
  /** Null if the chunk has no vector, or none was given. */
  readonly semanticScore: number | null;
  /** Where terms of the query occur in `text`: offsets in UTF-16 units, in order, without overlaps. */
  readonly highlights: readonly Highlight[];
}

export interface Highlight {
  readonly start: number;
  readonly end: number;
}

export interface ExplainRequest {
  readonly workspaceId: string;
  readonly baseId: string;
  readonly query: string;
  readonly vector: QueryVector | null;
  /** Their ids or names. */
  readonly documents: readonly string[];
  /** Only chunks that contain this text are looked at. */
  readonly contains: string | null;
}

export interface Explanation {
  /** Whether one of the documents can be found at all. */
  readonly isIndexed: boolean;
  /** Whether one of its chunks contains the text. */
  readonly hasText: boolean;
  /** The best scores of these chunks. */
  readonly best: { readonly lexicalScore: number; readonly semanticScore: number | null } | null;
}
