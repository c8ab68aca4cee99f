import { metadataLimits, sizeIssues } from '../../../contract/calls/values.ts';
import type { Document, DocumentChanges } from '../../../contract/knowledge/document.ts';
import type { KnowledgeBase } from '../../../contract/knowledge/knowledge-base.ts';
import { notFound, stateConflict, unprocessable, validationFailed } from '../../../core/errors.ts';
import { isId } from '../../../core/ids.ts';
import { isSameJson } from '../../../core/merge-patch.ts';
import { addressIssue } from '../../../net/address.ts';
import type { AllowedNetworks } from '../../../net/networks.ts';
import type { Queries, Reads } from '../../../storage/database.ts';
import { foundBase } from '../bases/routes.ts';
import type { BaseStore } from '../bases/store.ts';
import type { EmbedJobs } from '../embeddings/jobs.ts';
import type { FetchJobs } from '../fetching/jobs.ts';
import { nextRefreshAt } from '../fetching/refresh.ts';
import type { KnowledgeHandlers } from '../handlers.ts';
import type { BaseChanging } from '../ingestion/base-changes.ts';
import type { Ingestion } from '../ingestion/ingestion.ts';
import type { ChunkStore } from './chunks.ts';
import { changedDocument, type DocumentRow, isInWork, newDocumentRow, typeOfContent } from './document.ts';
import type { DocumentStore } from './store.ts';
import type { DocumentUploads } from './uploads.ts';

export interface DocumentRouteParts {
  readonly reads: Reads;
  readonly bases: BaseStore;
  readonly documents: DocumentStore;
  readonly chunks: ChunkStore;
  readonly baseChanges: BaseChanging;
  readonly ingestion: Ingestion;
  readonly uploads: DocumentUploads;
  readonly fetchJobs: Pick<FetchJobs, 'add' | 'remove'>;
  readonly embedJobs: Pick<EmbedJobs, 'renamed'>;
  readonly allowedNetworks: AllowedNetworks;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
}

type Handlers = Pick<
  KnowledgeHandlers,
  | 'documents.create'
  | 'documents.list'
  | 'documents.get'
  | 'documents.update'
  | 'documents.delete'
  | 'documents.refresh'
  | 'documents.chunks.list'
  | 'knowledgeBases.chunks.get'
>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of short handlers.
export function documentRoutes(parts: DocumentRouteParts): Handlers {
  const { reads, bases, documents, chunks, ingestion, uploads, newId, now } = parts;
  const timestamp = () => new Date(now()).toISOString();

  const readBase = async (workspaceId: string, id: string): Promise<KnowledgeBase> =>
    foundBase(isId('kb', id) ? await bases.read(reads, workspaceId, id) : undefined).base;
  const lockBase = async (queries: Queries, workspaceId: string, id: string): Promise<KnowledgeBase> =>
    foundBase(isId('kb', id) ? await bases.lock(queries, workspaceId, id) : undefined).base;
  const ofBase = (row: DocumentRow | undefined, baseId: string): DocumentRow => {
    if (row?.document.knowledgeBaseId !== baseId) throw notFound('document');
    return row;
  };
  const read = async (workspaceId: string, baseId: string, id: string): Promise<DocumentRow> =>
    ofBase(isId('doc', id) ? await documents.read(reads, workspaceId, id) : undefined, baseId);
  const lock = async (queries: Queries, workspaceId: string, baseId: string, id: string) => {
    const base = await lockBase(queries, workspaceId, baseId);
    return { base, row: ofBase(isId('doc', id) ? await documents.lock(queries, workspaceId, id) : undefined, baseId) };
  };
  const requireAddress = (url: string | undefined): void => {
    if (url === undefined) return;
    const issue = addressIssue(url, { schemes: ['https'], allowedNetworks: parts.allowedNetworks });
    if (issue !== undefined) throw validationFailed({ url: [issue] });
  };
  const replyOf = (document: Document) => ({ body: document, resourceId: document.id, resourceName: document.name });

  return {
    'documents.create': async ({ caller: { workspaceId }, params, body, queries }) => {
      requireAddress(body.url);
      const base = await lockBase(queries, workspaceId, params.id);
      await documents.requireRoom(queries, base.id);
      const ids = { id: newId('doc'), knowledgeBaseId: base.id };
      const row = await ingestion.create(queries, base, newDocumentRow(workspaceId, ids, body, timestamp()), body);
      return replyOf(body.file === undefined ? row.document : uploads.offered(row, body.file));
    },

    'documents.list': async ({ caller, params, query: { limit, ...filters }, position, nextPage }) => {
      const { id } = await readBase(caller.workspaceId, params.id);
      return nextPage(await documents.page(id, position?.after ?? null, limit, filters));
    },

    'documents.get': async ({ caller, params: { id, documentId } }) => ({
      body: (await read(caller.workspaceId, id, documentId)).document,
    }),

    'documents.update': async ({ caller: { workspaceId }, params: { id, documentId }, body, queries }) => {
      requireAddress(body.url);
      const { base, row } = await lock(queries, workspaceId, id, documentId);
      requireApplicable(row.document, body);
      const changed = await changeFields(queries, base, row, body);
      const { text, url, file } = body;
      const isNew = file !== undefined || text !== undefined || (url !== undefined && url !== row.document.url);
      if (!isNew) return replyOf(changed.row.document);
      const replaced = await ingestion.replace(queries, changed.base, changed.row, { text, url, file });
      return replyOf(file === undefined ? replaced.document : uploads.offered(replaced, file));
    },

    'documents.delete': async ({ caller: { workspaceId }, params: { id, documentId }, queries }) => {
      const { base, row } = await lock(queries, workspaceId, id, documentId);
      await ingestion.delete(queries, base, row);
      return { body: { id: documentId, deleted: true }, resourceId: documentId, resourceName: row.document.name };
    },

    'documents.refresh': async ({ caller: { workspaceId }, params: { id, documentId }, queries }) => {
      const { base, row } = await lock(queries, workspaceId, id, documentId);
      const { status } = row.document;
      if (status === 'uploading' || isInWork(status)) {
        throw stateConflict('document', { status, allowed: ['ready', 'failed'] });
      }
      return replyOf(await ingestion.refresh(queries, base, row));
    },

    'documents.chunks.list': async ({ caller, params: { id, documentId }, query: { limit }, position, nextPage }) => {
      const { document } = await read(caller.workspaceId, id, documentId);
      const after = position === null ? null : Number(position.after);
      return nextPage(await chunks.page(document.id, after, limit));
    },

    'knowledgeBases.chunks.get': async ({ caller, params: { id, chunkId } }) => {
      const base = await readBase(caller.workspaceId, id);
      const chunk = isId('chk', chunkId) ? await chunks.read(base.id, chunkId) : undefined;
      if (chunk === undefined) throw notFound('chunk');
      return { body: chunk };
    },
  };

  /** Writes the fields that are not content, if they differ. */
  async function changeFields(queries: Queries, base: KnowledgeBase, row: DocumentRow, body: DocumentChanges) {
    const document = changedDocument(row.document, body);
    const isContent = body.text !== undefined || body.url !== undefined || body.file !== undefined;
    if (isSameJson(document, row.document) && !isContent) return { base, row };
    const isRenamed = document.name !== row.document.name;
    // Search knows the name of what it serves.
    const isVisible = isRenamed && document.revision > 0;
    const changed: DocumentRow = {
      ...row,
      hasName: row.hasName || body.name !== undefined,
      baseRevision: isVisible ? base.revision + 1 : row.baseRevision,
      document: { ...(await rescheduled(queries, row, document)), updatedAt: timestamp() },
    };
    await documents.replace(queries, changed);
    if (isVisible) await parts.embedJobs.renamed(queries, document.id);
    const { base: counted } = await parts.baseChanges.recount(queries, base, isVisible);
    return { base: counted, row: changed };
  }

  /** With the time of the next refresh, if the interval has changed. Work in progress sets it when it ends. */
  async function rescheduled(queries: Queries, row: DocumentRow, document: Document): Promise<Document> {
    const { refreshEveryHours, status } = document;
    if (refreshEveryHours === row.document.refreshEveryHours || isInWork(status)) return document;
    const at = nextRefreshAt(0, { refreshEveryHours, now: now(), random: Math.random });
    const key = { workspaceId: row.workspaceId, documentId: document.id };
    if (at === null) await parts.fetchJobs.remove(queries, document.id);
    else await parts.fetchJobs.add(queries, key, at);
    return { ...document, nextRefreshAt: at === null ? null : new Date(at).toISOString() };
  }
}

/** What the request changes must fit the document. */
function requireApplicable(document: Document, body: DocumentChanges): void {
  const { text, url, file, metadata, refreshEveryHours } = body;
  const isContent = text !== undefined || url !== undefined || file !== undefined;
  const type = typeOfContent({ text, url, file });
  if (isContent && type !== document.type) {
    throw unprocessable({ [type]: [`cannot replace the content of a document of type ${document.type}`] });
  }
  if (refreshEveryHours != null && document.type !== 'url') {
    throw unprocessable({ refreshEveryHours: ['is for documents with a url only'] });
  }
  if (metadata === undefined) return;
  const issues = sizeIssues(changedDocument(document, body).metadata, metadataLimits);
  if (issues.length > 0) throw validationFailed({ metadata: issues });
}
