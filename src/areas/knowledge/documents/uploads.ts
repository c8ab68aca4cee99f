import { randomBytes } from 'node:crypto';
import type { Document, NewDocumentFields } from '../../../contract/knowledge/document.ts';
import { isId } from '../../../core/ids.ts';
import type { MediaUrls, UploadReceiver } from '../../../http/media.ts';
import type { Database } from '../../../storage/database.ts';
import { folderOf } from '../ingestion/files.ts';
import type { Ingestion } from '../ingestion/ingestion.ts';
import type { DocumentRow } from './document.ts';
import type { DocumentStore } from './store.ts';

export interface UploadParts {
  readonly database: Database;
  readonly documents: DocumentStore;
  readonly ingestion: Pick<Ingestion, 'received'>;
  readonly mediaUrls: MediaUrls;
  /** `PUBLIC_URL`, without a slash at the end. */
  readonly publicUrl: string | null;
  readonly now: () => number;
}

/** How long the signed URL is valid. The document waits longer: an update gives it another one. */
const validForMs = 3_600_000;
const receiverName = 'documents';

interface ExpectedUpload {
  readonly workspaceId: string;
  readonly documentId: string;
  readonly work: number;
}

export type DocumentUploads = ReturnType<typeof createDocumentUploads>;

/** Files that are sent to signed URLs. */
export function createDocumentUploads({ database, documents, ingestion, mediaUrls, publicUrl, now }: UploadParts) {
  const isExpected = async ({ workspaceId, documentId, work }: ExpectedUpload): Promise<boolean> => {
    const row = isId('doc', documentId) ? await documents.read(database, workspaceId, documentId) : undefined;
    return row?.work === work && row.document.status === 'uploading';
  };

  const receiver: UploadReceiver = {
    accept: async (id) => {
      const expected = expectedIn(id);
      if (!(await isExpected(expected))) return null;
      return `${folderOf(expected.documentId)}/${expected.work}-${randomBytes(6).toString('hex')}`;
    },
    received: async (id, { name: file, bytes, sha256 }) => {
      const expected = expectedIn(id);
      const isAccepted = await database.transaction((queries) =>
        ingestion.received(queries, expected, { file, bytes, sha256 }),
      );
      return isAccepted ? { id: expected.documentId, sizeBytes: bytes } : null;
    },
  };

  return {
    receivers: { [receiverName]: receiver },

    /** The document with where to send its file. */
    offered: (
      { workspaceId, document, work }: DocumentRow,
      { sizeBytes, sha256 = undefined }: NonNullable<NewDocumentFields['file']>,
    ): Document => {
      const expiresAt = now() + validForMs;
      const id = [workspaceId, document.id, work].join('/');
      const grant = { receiver: receiverName, id, bytes: sizeBytes, sha256: sha256 ?? null, expiresAt };
      const url = `${publicUrl ?? ''}${mediaUrls.signUpload(grant)}`;
      return { ...document, upload: { url, expiresAt: new Date(expiresAt).toISOString() } };
    },
  };
}

function expectedIn(id: string): ExpectedUpload {
  const [workspaceId = '', documentId = '', work] = id.split('/');
  return { workspaceId, documentId, work: Number(work) };
}
