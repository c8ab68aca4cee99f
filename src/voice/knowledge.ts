/** A chunk that a search has found. */
export interface KnowledgeHit {
  readonly knowledgeBaseId: string;
  readonly documentId: string;
  readonly documentRevision: number;
  readonly chunkId: string;
  /** Orders the hits. With `hybrid` it is a fused rank, which says nothing about relevance. */
  readonly score: number;
  readonly lexicalScore: number;
  /** Null without a vector. */
  readonly semanticScore: number | null;
  /** The name of the document. */
  readonly document: string;
  /** Its headings down to the chunk, joined by ` > `; empty if there are none. */
  readonly section: string;
  /** The chunk, extended by its neighbors under the same heading to 1,200 characters. */
  readonly text: string;
  /** The chunk alone. */
  readonly chunkText: string;
  /** What follows `A:` in a chunk that is a question and its answer, otherwise null. */
  readonly answer: string | null;
}

export interface KnowledgeResult {
  readonly mode: 'lexical' | 'hybrid';
  /** The best first. Empty: nothing was good enough. */
  readonly hits: readonly KnowledgeHit[];
  readonly tookMs: number;
  /** False: a better result follows, as soon as the query's embedding is there. */
  readonly isFinal: boolean;
}

export interface KnowledgeQuery {
  /** The caller's turn. */
  readonly words: string;
  /** The caller's turn before it, which is searched too if `words` say too little. */
  readonly previous: string | null;
  /** Only chunks that are a question and its answer. */
  readonly answersOnly?: boolean;
}

/** A document, for a model that gets everything. */
export interface KnowledgeDocument {
  readonly document: string;
  readonly text: string;
}

/** The knowledge of one agent: its bases, searched with its settings (`limit`, `minScore`, `minSemanticScore`). */
export interface Knowledge {
  /**
   * Reports a result that is final, or a lexical one that is not and then a final one: hybrid, or the same lexical one if
   * the embeddings provider has failed. Null: the search has failed, and nothing follows. Never calls `onResult` before
   * it returns. Returns how to cancel; nothing is reported after that.
   */
  search(query: KnowledgeQuery, onResult: (result: KnowledgeResult | null) => void): () => void;
  /**
   * For `mode: "prompt"`: the newest texts of all documents, by base and name; `too_large` above 50,000 characters; null
   * if they could not be read. Reports once, never before it returns.
   */
  readAll(onResult: (documents: readonly KnowledgeDocument[] | 'too_large' | null) => void): () => void;
}

/** A chunk that a reply is based on. */
export type KnowledgeSource = Pick<
  KnowledgeHit,
  'knowledgeBaseId' | 'documentId' | 'documentRevision' | 'chunkId' | 'score'
>;

/** A search that a reply is based on, without texts. */
export interface KnowledgeUse {
  readonly mode: KnowledgeResult['mode'];
  readonly tookMs: number;
  /** The result, or the better one that was to follow, came too late. */
  readonly timedOut: boolean;
  /** The chunks that were used, the best first. */
  readonly sources: readonly KnowledgeSource[];
}

export function sourceOf({
  knowledgeBaseId,
  documentId,
  documentRevision,
  chunkId,
  score,
}: KnowledgeHit): KnowledgeSource {
  return { knowledgeBaseId, documentId, documentRevision, chunkId, score };
}

/** What an agent has to know about a knowledge base. */
export interface AttachedBase {
  readonly id: string;
  readonly revision: number;
  /** The length of the extracted texts of all its documents. */
  readonly characterCount: number;
}
