import type { Queries } from '../../../storage/database.ts';
import type { FetchError, FetchedContent, Validators } from './fetching.ts';

/** A document to fetch. */
export interface FetchTask {
  readonly url: string;
  /** A name for the media file with the content that no other work uses, and that is removed with the document. */
  readonly file: string;
  /** Of the revision that is served; null if there is none, or it was not made from this content. */
  readonly served: { readonly sha256: string; readonly validators: Validators | null } | null;
}

/**
 * What the job changes of documents. Each runs in a transaction of the job, and only while the job is that of the
 * document: a job that was removed (`FetchJobs.remove`) changes nothing.
 */
export interface FetchedDocuments {
  /** The document is `fetching` now. Null if it is gone, or has nothing to fetch. */
  begin(queries: Queries, document: DocumentKey): Promise<FetchTask | null>;
  /** The content is there: the document is `extracting` from here on, with a job of its own. */
  fetched(queries: Queries, document: DocumentKey, content: FetchedContent): Promise<void>;
  /**
   * What is served is what the page still has. `validators`: the newest; null if the server did not repeat them, and the
   * known ones stay.
   */
  unchanged(queries: Queries, document: DocumentKey, validators: Validators | null): Promise<void>;
  failed(queries: Queries, document: DocumentKey, error: FetchError): Promise<void>;
}

export interface DocumentKey {
  readonly workspaceId: string;
  readonly documentId: string;
}

/** A document has at most one job that is not finished: the one that runs, or the next refresh. */
export interface FetchJobs {
  /** Replaces the job of the document. `at`: in milliseconds since the epoch; without it, now. */
  add(queries: Queries, document: DocumentKey, at?: number): Promise<void>;
  /** No fetch of the document begins any more, and one in progress changes nothing. */
  remove(queries: Queries, documentId: string): Promise<void>;
}
