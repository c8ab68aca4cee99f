import type { JobKind } from '../../../jobs/kind.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { MediaStore } from '../../../storage/media.ts';
import type { DocumentStore } from '../documents/store.ts';

export interface FileParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly media: MediaStore;
  readonly documents: DocumentStore;
  readonly now: () => number;
}

interface Payload {
  readonly documentId: string;
  /** The file that is not needed any more. */
  readonly file: string | null;
}

/** Longer than an upload or a fetch takes: what is older was left behind by a lost process. */
const inProgressMs = 3_600_000;

export type DocumentFiles = ReturnType<typeof createDocumentFiles>;

/** The folder of a document, which has the content that is not extracted yet. */
export function folderOf(documentId: string): string {
  return `knowledge/${documentId}`;
}

/** Removes the files of documents. */
export function createDocumentFiles({ database, jobs, media, documents, now }: FileParts) {
  const kind: JobKind<Payload> = {
    name: 'knowledge_files',
    // About half a year: content must not stay because a disk was away.
    maxAttempts: 4000,
    retryDelaysMs: [1000, 10_000, 60_000, 600_000, 3_600_000],
    timeoutMs: 60_000,
    concurrency: 4,
    concurrencyPerWorkspace: 2,
    run: async ({ workspaceId, payload: { documentId, file } }) => {
      if (workspaceId === null) return;
      const row = await documents.read(database, workspaceId, documentId);
      if (row === undefined) return media.removeFolder(folderOf(documentId));
      const needed = row.source?.file ?? null;
      let isInProgress = false;
      for (const { name, modifiedAt } of await media.filesIn(folderOf(documentId))) {
        if (name === needed) continue;
        if (name === file || now() - modifiedAt > inProgressMs) await media.remove(name);
        else isInProgress = true;
      }
      if (isInProgress) await add(database, workspaceId, { documentId, file: null }, inProgressMs);
    },
  };

  const add = async (queries: Queries, workspaceId: string, payload: Payload, delayMs = 0): Promise<void> => {
    await jobs.add(queries, kind, { workspaceId, payload, delayMs });
  };

  return {
    kind: kind as JobKind,

    /** In the transaction after which the file is not needed any more. */
    remove: (queries: Queries, workspaceId: string, documentId: string, file: string | null): Promise<void> =>
      add(queries, workspaceId, { documentId, file }),

    /** In the transaction that deletes the document: also what arrives for it while it is deleted. */
    removeAll: async (queries: Queries, workspaceId: string, documentId: string): Promise<void> => {
      await add(queries, workspaceId, { documentId, file: null });
      await add(queries, workspaceId, { documentId, file: null }, inProgressMs);
    },
  };
}
