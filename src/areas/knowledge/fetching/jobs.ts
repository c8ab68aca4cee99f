import type { JobKind } from '../../../jobs/kind.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { MediaStore } from '../../../storage/media.ts';
import { folderOf } from '../ingestion/files.ts';
import type { FetchError, FetchedContent, Fetching, FetchResult, Validators } from './fetching.ts';

/** A document to fetch. */
export interface FetchTask {
  readonly url: string;
  /** The content of the revision that is served; null if there is none, or it came from another address. */
  readonly served: { readonly sha256: string; readonly validators: Validators | null } | null;
}

/**
 * What the job changes of documents. All but `begin` run in the transaction that ends the job, and only if the job was
 * not removed meanwhile (`FetchJobs.remove`). The end of the job frees its place, so that they can add the next one.
 */
export interface FetchedDocuments {
  /** Before the job ends: everything else that removes the job has locked the document first. */
  lock(queries: Queries, document: DocumentKey): Promise<void>;
  /** The document is `fetching` now. Null if it is gone, or has nothing to fetch. */
  begin(queries: Queries, document: DocumentKey): Promise<FetchTask | null>;
  /** The content is in the file: the document is `extracting` from here on, by a job of its own. */
  fetched(queries: Queries, document: DocumentKey, content: FetchedContent): Promise<void>;
  /** The page has what is served. There is no file. `validators`: the newest; null: those that are known stay. */
  unchanged(queries: Queries, document: DocumentKey, validators: Validators | null): Promise<void>;
  /** There is no file. */
  failed(queries: Queries, document: DocumentKey, error: FetchError): Promise<void>;
}

export interface DocumentKey {
  readonly workspaceId: string;
  readonly documentId: string;
}

export interface FetchJobParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly media: MediaStore;
  readonly fetching: Fetching;
  readonly documents: () => FetchedDocuments;
  readonly now: () => number;
}

export type FetchJobs = ReturnType<typeof createFetchJobs>;

interface Payload {
  readonly documentId: string;
}

/** After a lost process, which the document may have ended. A fetch that fails is not repeated by the job. */
const maxAttempts = 3;

/** A document has at most one job that is not finished: the one that runs, or its next refresh. */
export function createFetchJobs({ database, jobs, media, fetching, documents, now }: FetchJobParts) {
  /** Null: the page has what is served. */
  const changed = ({ content }: FetchResult & { as: 'fetched' }, { served }: FetchTask): FetchedContent | null =>
    content.sha256 === served?.sha256 ? null : content;

  const kind: JobKind<Payload> = {
    name: 'knowledge_fetch',
    // The attempts after the last one only record the failure.
    maxAttempts: maxAttempts + 10,
    retryDelaysMs: [1000, 5000],
    timeoutMs: 60_000,
    concurrency: 8,
    concurrencyPerWorkspace: 6,
    run: async ({ id, workspaceId, payload: { documentId }, attempt }, { signal, complete }) => {
      if (workspaceId === null) return;
      const document = { workspaceId, documentId };
      const file = `${folderOf(documentId)}/${id}-${attempt}`;
      const task = await database.transaction((queries) => documents().begin(queries, document));
      if (task === null) return;
      const result: FetchResult =
        attempt > maxAttempts
          ? { as: 'failed', error: lostError }
          : await fetching.fetch({ url: task.url, validators: task.served?.validators ?? null, file, signal });
      const content = result.as === 'fetched' ? changed(result, task) : null;
      const keeps = content !== null;
      if (!keeps) await media.remove(file);
      const isCurrent = await database.transaction(async (queries) => {
        await documents().lock(queries, document);
        if (!(await complete(queries))) return false;
        if (result.as === 'failed') await documents().failed(queries, document, result.error);
        else if (content !== null) await documents().fetched(queries, document, content);
        else {
          const validators = result.as === 'fetched' ? result.content.validators : null;
          await documents().unchanged(queries, document, validators);
        }
        return true;
      });
      if (!isCurrent) await media.remove(file);
    },
  };

  const remove = (queries: Queries, documentId: string): Promise<void> => jobs.remove(queries, kind, documentId);

  return {
    kind: kind as JobKind,

    /** Replaces the job of the document. `at`: in milliseconds since the epoch; without it, now. */
    add: async (queries: Queries, { workspaceId, documentId }: DocumentKey, at?: number): Promise<void> => {
      await remove(queries, documentId);
      const delayMs = at === undefined ? 0 : Math.max(0, at - now());
      await jobs.add(queries, kind, { workspaceId, payload: { documentId }, dedupeKey: documentId, delayMs });
    },

    /** No fetch of the document begins any more, and one in progress changes nothing. */
    remove,
  };
}

const lostError: FetchError = {
  code: 'internal',
  message: 'The process that fetched the page was lost three times.',
  retryable: true,
};
