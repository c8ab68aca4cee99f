import { hash } from 'node:crypto';
import type { Document, DocumentError, NewDocumentFields } from '../../../contract/knowledge/document.ts';
import type { KnowledgeBase } from '../../../contract/knowledge/knowledge-base.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { RemovedContent } from '../../../storage/removed-content.ts';
import { splittingOf } from '../bases/knowledge-base.ts';
import type { BaseRow, BaseStore } from '../bases/store.ts';
import type { ChunkStore } from '../documents/chunks.ts';
import { type DocumentRow, isInWork, withFields } from '../documents/document.ts';
import type { DocumentPlace, DocumentStore } from '../documents/store.ts';
import type { FetchedDocuments, FetchJobs } from '../fetching/jobs.ts';
import { createPauses } from '../pauses.ts';
import type { BaseChanging } from './base-changes.ts';
import type { DocumentFiles } from './files.ts';
import { indexJob } from './index-job-kind.ts';
import { createSettling, type SettlingParts } from './settling.ts';

export interface IngestionParts extends Omit<SettlingParts, 'splitAgain' | 'random'> {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly bases: BaseStore;
  readonly documents: DocumentStore;
  readonly chunks: ChunkStore;
  readonly baseChanges: BaseChanging;
  readonly files: DocumentFiles;
  readonly fetchJobs: Pick<FetchJobs, 'add' | 'remove'>;
  readonly removedContent: RemovedContent;
  readonly forgetSubject: (queries: Queries, workspaceId: string, id: string) => Promise<void>;
}

/** A document and its base, locked until the end of the transaction. */
export interface LockedDocument {
  readonly base: KnowledgeBase;
  readonly row: DocumentRow;
}

export const uploadWithinMs = 24 * 3_600_000;
/** A document that a job has begun with is settled by then. */
export const settledWithinMs = 5 * 60_000;
const sweepSize = 50;

export type Ingestion = ReturnType<typeof createIngestion>;

/** The states of documents: what begins work on them, and what ends it. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createIngestion(parts: IngestionParts) {
  const { database, jobs, bases, documents, chunks, baseChanges, files, fetchJobs, removedContent, now } = parts;
  const startedAt = now();

  /** Replaces the job that extracts, splits and indexes the document. */
  const addIndexJob = async (queries: Queries, { workspaceId, document, work }: DocumentRow): Promise<void> => {
    await jobs.remove(queries, indexJob, document.id);
    const payload = { documentId: document.id, work };
    await jobs.add(queries, indexJob, { workspaceId, payload, dedupeKey: document.id });
  };
  const splitAgain = async (queries: Queries, row: DocumentRow): Promise<void> => {
    await documents.replace(queries, { ...withFields(row, { status: 'queued', error: null }), dueAt: null });
    await addIndexJob(queries, row);
  };
  const settling = createSettling({ ...parts, splitAgain, random: Math.random });

  /** No job works on it any more, and what one in progress finds is dropped. */
  const stopWork = async (queries: Queries, { document }: DocumentRow): Promise<void> => {
    await jobs.remove(queries, indexJob, document.id);
    if (document.type === 'url') await fetchJobs.remove(queries, document.id);
  };

  const lock = async (
    queries: Queries,
    { workspaceId, documentId }: Pick<DocumentPlace, 'workspaceId' | 'documentId'>,
  ): Promise<LockedDocument | null> => {
    const known = await documents.read(queries, workspaceId, documentId);
    const base = known && (await bases.lock(queries, workspaceId, known.document.knowledgeBaseId));
    const row = base && (await documents.lock(queries, workspaceId, documentId));
    return base === undefined || row === undefined ? null : { base: base.base, row };
  };

  /** The document gets new content, and the work on former content is dropped. Resolves to the row to write. */
  const begin = async (
    queries: Queries,
    former: DocumentRow,
    { text, url, file }: Pick<NewDocumentFields, 'text' | 'url' | 'file'>,
  ): Promise<DocumentRow> => {
    await stopWork(queries, former);
    // A process that was lost during an upload has left a part of it.
    if (former.source !== null || former.document.status === 'uploading')
      await files.remove(queries, former.workspaceId, former.document.id, former.source?.file ?? null);
    if (former.source !== null) removedContent.removeFromLog(queries);
    const status = file === undefined ? 'queued' : 'uploading';
    const row: DocumentRow = {
      ...withFields(former, { status, error: null, url: url ?? former.document.url }),
      work: former.work + 1,
      dueAt: file === undefined ? null : now() + uploadWithinMs,
      failure: null,
      failures: 0,
      fileName: file?.name ?? null,
      source: null,
    };
    if (text === undefined) return row;
    const source = { file: null, contentType: null, bytes: Buffer.byteLength(text), sha256: hash('sha256', text) };
    return { ...row, source: { ...source, validators: null, fetchedAt: null } };
  };
  /** After the row was written. */
  const start = async (queries: Queries, row: DocumentRow, text: string | undefined): Promise<void> => {
    const { workspaceId, document } = row;
    if (text !== undefined) await documents.setSourceText(queries, row, text);
    if (document.type === 'url') await fetchJobs.add(queries, { workspaceId, documentId: document.id });
    else if (document.type === 'text') await addIndexJob(queries, row);
  };

  const fetched: FetchedDocuments = {
    lock: async (queries, key) => {
      await lock(queries, key);
    },
    begin: async (queries, key) => {
      const locked = await lock(queries, key);
      if (locked === null || locked.row.document.type !== 'url') return null;
      const { base, row } = locked;
      const { url, contentSha256: sha256 } = row.document;
      const wasLost = row.document.status === 'fetching' && row.dueAt !== null;
      const dueAt = wasLost ? row.dueAt : now() + settledWithinMs;
      await documents.replace(queries, { ...withFields(row, { status: 'fetching', error: null }), dueAt });
      if (wasLost) await files.remove(queries, row.workspaceId, row.document.id, null);
      await baseChanges.recount(queries, base, false);
      const { validators } = row;
      // What is served may be from another address, and is compared all the same: equal content is not work.
      return { url: url ?? '', served: sha256 === null ? null : { sha256, validators } };
    },
    fetched: async (queries, key, content) => {
      const locked = await lock(queries, key);
      if (locked === null) return;
      const { file, sha256, validators, contentType } = content;
      const source = { file: file.name, contentType, bytes: file.bytes, sha256, validators, fetchedAt: now() };
      const row = { ...withFields(locked.row, { status: 'extracting' }), dueAt: null, source };
      await documents.replace(queries, row);
      await addIndexJob(queries, row);
    },
    unchanged: async (queries, key, validators) => {
      const locked = await lock(queries, key);
      if (locked !== null) await settling.unchanged(queries, locked.base, locked.row, validators);
    },
    failed: async (queries, key, error) => {
      const locked = await lock(queries, key);
      if (locked !== null) await settling.failed(queries, locked.base, locked.row, error, true);
    },
  };

  /** Removes a document of a locked base, without counting the rest. */
  const remove = async (queries: Queries, row: DocumentRow): Promise<void> => {
    const { workspaceId, document } = row;
    await stopWork(queries, row);
    await chunks.removeOfDocument(queries, document.id);
    await documents.remove(queries, row);
    await files.removeAll(queries, workspaceId, document.id);
    await parts.forgetSubject(queries, workspaceId, document.id);
    removedContent.removeFromLog(queries);
  };

  return {
    fetched,
    lock,
    settle: settling.settle,

    /** Adds a new document to a locked base. */
    create: async (queries: Queries, base: KnowledgeBase, given: DocumentRow, fields: NewDocumentFields) => {
      const row = await begin(queries, given, fields);
      await documents.insert(queries, row);
      await start(queries, row, fields.text);
      await baseChanges.recount(queries, base, false);
      return row;
    },

    /** Replaces the content of a document. What was served is served until the new content is ready. */
    replace: async (
      queries: Queries,
      base: KnowledgeBase,
      former: DocumentRow,
      content: Pick<NewDocumentFields, 'text' | 'url' | 'file'>,
    ): Promise<DocumentRow> => {
      const row = await begin(queries, former, content);
      await documents.replace(queries, row);
      await start(queries, row, content.text);
      await baseChanges.recount(queries, base, false);
      return row;
    },

    /** Fetches a URL again, or indexes the kept text again. */
    refresh: async (queries: Queries, base: KnowledgeBase, former: DocumentRow): Promise<Document> => {
      const row = withFields(former, { status: 'queued', error: null });
      await documents.replace(queries, row);
      const { workspaceId, document } = row;
      if (document.type === 'url') await fetchJobs.add(queries, { workspaceId, documentId: document.id });
      else await addIndexJob(queries, row);
      await baseChanges.recount(queries, base, false);
      return document;
    },

    /** The bytes of a file have arrived. False if they are not expected any more. */
    received: async (
      queries: Queries,
      { workspaceId, documentId, work }: { workspaceId: string; documentId: string; work: number },
      { file, bytes, sha256 }: { readonly file: string; readonly bytes: number; readonly sha256: string },
    ): Promise<boolean> => {
      const locked = await lock(queries, { workspaceId, documentId });
      if (locked === null || locked.row.work !== work || locked.row.document.status !== 'uploading') return false;
      const source = { file, contentType: null, bytes, sha256, validators: null, fetchedAt: null };
      const row = { ...withFields(locked.row, { status: 'queued' }), dueAt: null, source };
      await documents.replace(queries, row);
      await addIndexJob(queries, row);
      await baseChanges.recount(queries, locked.base, false);
      return true;
    },

    /** Deletes a document of a locked base. */
    delete: async (queries: Queries, base: KnowledgeBase, row: DocumentRow): Promise<void> => {
      await remove(queries, row);
      await baseChanges.recount(queries, base, row.document.revision > 0);
    },

    /** Deletes all documents of a locked base. */
    deleteAll: async (queries: Queries, { workspaceId, id }: KnowledgeBase): Promise<void> => {
      const pause = createPauses();
      for (const documentId of await documents.idsOfBase(queries, id)) {
        const row = await documents.lock(queries, workspaceId, documentId);
        if (row !== undefined) await remove(queries, row);
        await pause();
      }
    },

    /** After the chunk size or language of a locked base has changed. Documents in work are split with it anyway. */
    splitAll: async (queries: Queries, { base }: Pick<BaseRow, 'base'>): Promise<void> => {
      const pause = createPauses();
      for (const documentId of await documents.idsOfBase(queries, base.id)) {
        await pause();
        const row = await documents.lock(queries, base.workspaceId, documentId);
        if (row === undefined || row.document.revision === 0) continue;
        const { status } = row.document;
        if (status === 'uploading' || isInWork(status)) continue;
        const hasFailed = status === 'failed' && row.failure === null;
        if (hasFailed || row.splitting !== splittingOf(base)) await splitAgain(queries, row);
      }
    },

    /** Settles what nothing has settled in time. Resolves to true if there may be more. */
    sweep: async (): Promise<boolean> => {
      const overdue = await documents.overdue(now(), sweepSize);
      for (const place of overdue) {
        await database.transaction(async (queries) => {
          const locked = await lock(queries, place);
          if (locked === null || locked.row.dueAt === null || locked.row.dueAt > now()) return;
          const { base, row } = locked;
          const isUpload = row.document.status === 'uploading';
          // Work that waited while no process was running has its time from then on.
          if (!isUpload && now() < startedAt + settledWithinMs) {
            await documents.replace(queries, { ...row, dueAt: startedAt + settledWithinMs });
            return;
          }
          await stopWork(queries, row);
          if (isUpload) await files.remove(queries, row.workspaceId, row.document.id, null);
          const isSplitting = row.source === null && !isUpload && row.document.status !== 'fetching';
          await settling.failed(queries, base, row, isUpload ? uploadExpired : outOfTime, !isSplitting);
        });
      }
      return overdue.length === sweepSize;
    },
  };
}

const uploadExpired: DocumentError = {
  code: 'upload_expired',
  message: 'The file was not uploaded within 24 hours.',
  retryable: false,
};
const outOfTime: DocumentError = {
  code: 'timeout',
  message: 'It was not finished within 5 minutes.',
  retryable: true,
};
