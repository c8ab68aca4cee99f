import type { Document, DocumentError } from '../../../contract/knowledge/document.ts';
import { type KnowledgeBase, maxChunks } from '../../../contract/knowledge/knowledge-base.ts';
import type { EventData } from '../../../contract/webhooks/events.ts';
import type { Queries } from '../../../storage/database.ts';
import type { RemovedContent } from '../../../storage/removed-content.ts';
import { splittingOf } from '../bases/knowledge-base.ts';
import type { ChunkStore } from '../documents/chunks.ts';
import { type DocumentRow, nameFrom, withFields } from '../documents/document.ts';
import type { DocumentStore } from '../documents/store.ts';
import type { EmbedJobs } from '../embeddings/jobs.ts';
import type { ExtractedChunk, ExtractedDocument } from '../extraction/extraction.ts';
import type { FetchJobs } from '../fetching/jobs.ts';
import { type RefreshState, refreshFailed, refreshSucceeded } from '../fetching/refresh.ts';
import type { BaseChanging } from './base-changes.ts';
import type { DocumentFiles } from './files.ts';

export interface DocumentEvent<
  Type extends 'document_ready' | 'document_failed' = 'document_ready' | 'document_failed',
> {
  readonly workspaceId: string;
  readonly type: Type;
  readonly subjectId: string;
  readonly sequence: null;
  readonly agentId: null;
  readonly agentWebhook: null;
  readonly data: EventData<Type>;
}

export interface SettlingParts {
  readonly documents: DocumentStore;
  readonly chunks: ChunkStore;
  readonly baseChanges: BaseChanging;
  readonly files: DocumentFiles;
  readonly fetchJobs: Pick<FetchJobs, 'add'>;
  readonly embedJobs: Pick<EmbedJobs, 'renamed'>;
  readonly removedContent: RemovedContent;
  readonly writeEvent: (queries: Queries, event: DocumentEvent) => Promise<unknown>;
  /** Splits the kept text of a document again. */
  readonly splitAgain: (queries: Queries, row: DocumentRow) => Promise<void>;
  readonly now: () => number;
  readonly random: () => number;
}

/** What a job has made of a document. */
export type IndexOutcome =
  | { readonly as: 'extracted'; readonly extracted: ExtractedDocument }
  | { readonly as: 'split'; readonly chunks: readonly ExtractedChunk[] }
  | { readonly as: 'unchanged' }
  | { readonly as: 'failed'; readonly error: DocumentError };

export type Settling = ReturnType<typeof createSettling>;

/** Ends the work on a document. Each runs in the transaction that ends the job, with base and document locked. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createSettling(parts: SettlingParts) {
  const { documents, chunks, baseChanges, files, fetchJobs, embedJobs, removedContent, writeEvent, now, random } =
    parts;
  const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  const ms = (time: string | null): number | null => (time === null ? null : Date.parse(time));

  const event = <Type extends DocumentEvent['type']>(
    queries: Queries,
    { workspaceId, document }: DocumentRow,
    type: Type,
    data: EventData<Type>,
  ) => {
    const about = { subjectId: document.id, sequence: null, agentId: null, agentWebhook: null } as const;
    return writeEvent(queries, { workspaceId, type, ...about, data } as DocumentEvent);
  };

  /** Without the source, whose file is removed. */
  const withoutSource = async (queries: Queries, row: DocumentRow): Promise<DocumentRow> => {
    if (row.source !== null) {
      await files.remove(queries, row.workspaceId, row.document.id, row.source.file);
      removedContent.removeFromLog(queries);
    }
    return { ...row, source: null, dueAt: null };
  };

  const refreshed = (row: DocumentRow, refresh: RefreshState): DocumentRow => ({
    ...withFields(row, {
      lastFetchedAt: iso(refresh.lastFetchedAt),
      nextRefreshAt: iso(refresh.nextRefreshAt),
      staleSince: iso(refresh.staleSince),
    }),
    failures: refresh.failures,
  });
  const timeOf = ({ refreshEveryHours }: Document) => ({ refreshEveryHours, now: now(), random });
  /** A URL was read at this time, and what it has is served. */
  const afterSuccess = (row: DocumentRow, fetchedAt: number): DocumentRow =>
    row.document.type === 'url' ? refreshed(row, refreshSucceeded(fetchedAt, timeOf(row.document))) : row;
  const afterFailure = (row: DocumentRow): DocumentRow => {
    const { document, failures } = row;
    if (document.type !== 'url') return row;
    const state = {
      lastFetchedAt: ms(document.lastFetchedAt),
      nextRefreshAt: ms(document.nextRefreshAt),
      staleSince: ms(document.staleSince),
      failures,
    };
    return refreshed(row, refreshFailed(state, document.revision > 0, timeOf(document)));
  };

  /** Writes the document, and when its URL is fetched again. */
  const write = async (queries: Queries, row: DocumentRow): Promise<void> => {
    await documents.replace(queries, row);
    const { type, id: documentId, nextRefreshAt } = row.document;
    if (type !== 'url' || nextRefreshAt === null) return;
    await fetchJobs.add(queries, { workspaceId: row.workspaceId, documentId }, Date.parse(nextRefreshAt));
  };

  /** What is served stays. If the base has been given another chunk size meanwhile, it is split again. */
  const settleAsServed = async (
    queries: Queries,
    base: KnowledgeBase,
    row: DocumentRow,
    maySplit: boolean,
  ): Promise<void> => {
    const isStale = row.document.revision > 0 && row.splitting !== splittingOf(base);
    if (isStale && maySplit) await parts.splitAgain(queries, row);
    else await write(queries, row);
    await baseChanges.recount(queries, base, false);
  };

  /** `maySplit`: it was not splitting the kept text that failed. */
  const failed = async (
    queries: Queries,
    base: KnowledgeBase,
    given: DocumentRow,
    error: DocumentError,
    maySplit: boolean,
  ): Promise<void> => {
    const row = afterFailure(await withoutSource(queries, given));
    // Splitting may work another time: it says nothing about the content.
    const settled = { ...withFields(row, { status: 'failed', error }), failure: maySplit ? error : row.failure };
    await settleAsServed(queries, base, settled, maySplit);
    // A refresh that keeps failing for the same reason reports it once.
    if (given.failure?.code === error.code) return;
    await event(queries, settled, 'document_failed', { knowledgeBaseId: base.id, documentId: row.document.id, error });
  };

  /** The content is what is served already. */
  const unchanged = async (
    queries: Queries,
    base: KnowledgeBase,
    given: DocumentRow,
    validators: DocumentRow['validators'] = null,
  ): Promise<void> => {
    const fetchedAt = given.source?.fetchedAt ?? now();
    const row = afterSuccess(await withoutSource(queries, given), fetchedAt);
    const settled = { ...withFields(row, { status: 'ready', error: null }), failure: null };
    await settleAsServed(queries, base, { ...settled, validators: validators ?? row.validators }, true);
  };

  /** The kept text with other chunks. A document whose newest content failed stays failed. */
  const split = async (
    queries: Queries,
    base: KnowledgeBase,
    given: DocumentRow,
    newChunks: readonly ExtractedChunk[],
  ): Promise<void> => {
    const { failure, document } = given;
    const status = failure === null ? ('ready' as const) : ('failed' as const);
    const next = { ...withFields(given, { status, error: failure }), dueAt: null, splitting: splittingOf(base) };
    const revision = document.revision + 1;
    const isChanged = await chunks.replace(queries, withFields(next, { revision }), newChunks, { isSameText: true });
    if (!isChanged) {
      await write(queries, next);
      await baseChanges.recount(queries, base, false);
      return;
    }
    removedContent.removeFromLog(queries);
    await becomeVisible(queries, base, withFields(next, { revision, chunkCount: newChunks.length }));
  };

  const extracted = async (
    queries: Queries,
    base: KnowledgeBase,
    given: DocumentRow,
    content: ExtractedDocument,
  ): Promise<void> => {
    const { source, document } = given;
    const row = afterSuccess(await withoutSource(queries, given), source?.fetchedAt ?? now());
    const name = given.hasName || content.title === null ? document.name : nameFrom(content.title);
    const next: DocumentRow = {
      ...withFields(row, {
        name,
        status: 'ready',
        error: null,
        revision: document.revision + 1,
        warnings: [...content.warnings],
        mimeType: content.mimeType,
        contentSha256: source?.sha256 ?? null,
        sizeBytes: source?.bytes ?? null,
        characterCount: content.characterCount,
        pageCount: content.pageCount,
        chunkCount: content.chunks.length,
      }),
      textBytes: content.textBytes,
      splitting: splittingOf(base),
      failure: null,
      validators: source?.validators ?? null,
    };
    await documents.writeText(queries, next, content);
    await chunks.replace(queries, next, content.chunks, { isSameText: false });
    if (name !== document.name) await embedJobs.renamed(queries, document.id);
    removedContent.removeFromLog(queries);
    await becomeVisible(queries, base, next);
  };

  /** Writes a new revision of the document, and of the base with it. */
  const becomeVisible = async (queries: Queries, base: KnowledgeBase, row: DocumentRow): Promise<void> => {
    const next = { ...withFields(row, { readyAt: iso(now()) }), baseRevision: base.revision + 1 };
    await write(queries, next);
    await baseChanges.recount(queries, base, true);
    const { id: documentId, status, revision, chunkCount } = next.document;
    if (status !== 'ready') return;
    const data = { knowledgeBaseId: base.id, documentId, revision, chunkCount: chunkCount ?? 0 };
    await event(queries, next, 'document_ready', data);
  };

  return {
    failed,
    unchanged,

    settle: async (queries: Queries, base: KnowledgeBase, row: DocumentRow, outcome: IndexOutcome): Promise<void> => {
      const isNew = row.source !== null;
      const fits = (count: number) => base.chunkCount - (row.document.chunkCount ?? 0) + count <= maxChunks;
      switch (outcome.as) {
        case 'failed':
          return failed(queries, base, row, outcome.error, isNew);
        case 'unchanged':
          return unchanged(queries, base, row);
        case 'split':
          if (!fits(outcome.chunks.length)) return failed(queries, base, row, baseIsFull, isNew);
          return split(queries, base, row, outcome.chunks);
        case 'extracted':
          if (!fits(outcome.extracted.chunks.length)) return failed(queries, base, row, baseIsFull, isNew);
          return extracted(queries, base, row, outcome.extracted);
      }
    },
  };
}

const baseIsFull: DocumentError = {
  code: 'limit_reached',
  message: `The knowledge base would have more than ${maxChunks} chunks with it.`,
  retryable: false,
};
