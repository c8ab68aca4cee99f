import type {
  Document,
  DocumentChanges,
  DocumentError,
  DocumentStatus,
  DocumentType,
  NewDocumentFields,
} from '../../../contract/knowledge/document.ts';
import { mergePatch } from '../../../core/merge-patch.ts';
import type { Validators } from '../fetching/fetching.ts';

/** In these, a job works on the document or is going to. */
export const statusesInWork = ['queued', 'fetching', 'extracting', 'indexing'] as const satisfies DocumentStatus[];

export function isInWork(status: DocumentStatus): boolean {
  return (statusesInWork as readonly DocumentStatus[]).includes(status);
}

/** Content that is not extracted yet. */
export interface DocumentSource {
  /** The media file; null for a text, which is in the row. */
  readonly file: string | null;
  /** As claimed by a server. */
  readonly contentType: string | null;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
  /** Set for a fetched page. */
  readonly validators: Validators | null;
  /** In milliseconds since the epoch. */
  readonly fetchedAt: number | null;
}

/** A document with what is not part of the resource. */
export interface DocumentRow {
  readonly workspaceId: string;
  readonly document: Document;
  readonly documentVersion: number;
  /** False if the name comes from the content. */
  readonly hasName: boolean;
  /** The revision of the base when search last saw a change of the document. */
  readonly baseRevision: number;
  readonly textBytes: number;
  /** What its chunks were split with; null without chunks. */
  readonly splitting: string | null;
  /** Counts the content that the document was given. A result of earlier content is dropped. */
  readonly work: number;
  /** When unfinished work, or an upload that has not arrived, has failed. */
  readonly dueAt: number | null;
  /** Why the newest content failed, until there is other content. */
  readonly failure: DocumentError | null;
  /** Set if the content was served from a URL. */
  readonly validators: Validators | null;
  /** Failed refreshes of a URL in a row. */
  readonly failures: number;
  /** The name of the file that the newest content comes from. */
  readonly fileName: string | null;
  readonly source: DocumentSource | null;
}

const maxNameCharacters = 255;

/** The first characters of a text, as a name. */
export function nameFrom(text: string): string {
  return [...text.replace(/\s+/gu, ' ').trim()].slice(0, maxNameCharacters).join('') || 'document';
}

export function typeOfContent({ text, url }: Pick<NewDocumentFields, 'text' | 'url' | 'file'>): DocumentType {
  if (text !== undefined) return 'text';
  return url === undefined ? 'file' : 'url';
}

export function newDocumentRow(
  workspaceId: string,
  ids: { readonly id: string; readonly knowledgeBaseId: string },
  fields: NewDocumentFields,
  now: string,
): DocumentRow {
  const type = typeOfContent(fields);
  const name = fields.name ?? fields.file?.name ?? nameFrom(fields.url ?? '');
  const document: Document = {
    ...ids,
    name,
    type,
    url: fields.url ?? null,
    refreshEveryHours: fields.refreshEveryHours,
    lastFetchedAt: null,
    nextRefreshAt: null,
    staleSince: null,
    status: type === 'file' ? 'uploading' : 'queued',
    error: null,
    revision: 0,
    warnings: [],
    mimeType: null,
    contentSha256: null,
    sizeBytes: null,
    characterCount: null,
    pageCount: null,
    chunkCount: null,
    metadata: fields.metadata,
    upload: null,
    createdAt: now,
    updatedAt: now,
    readyAt: null,
  };
  return {
    workspaceId,
    document,
    documentVersion: 1,
    hasName: fields.name !== undefined || type !== 'url',
    baseRevision: 0,
    textBytes: 0,
    splitting: null,
    work: 0,
    dueAt: null,
    failure: null,
    validators: null,
    failures: 0,
    fileName: null,
    source: null,
  };
}

/** The fields that are not content. */
export function changedDocument(document: Document, changes: DocumentChanges): Document {
  const { name = document.name, refreshEveryHours = document.refreshEveryHours, metadata } = changes;
  return {
    ...document,
    name,
    refreshEveryHours,
    metadata:
      metadata === undefined ? document.metadata : (mergePatch(document.metadata, metadata) as Document['metadata']),
  };
}

/** The row with other fields of the resource. */
export function withFields(row: DocumentRow, fields: Partial<Document>): DocumentRow {
  return { ...row, document: { ...row.document, ...fields } };
}
