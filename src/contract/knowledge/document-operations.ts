import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { commaSeparated } from '../query.ts';
import {
  chunk,
  createDocumentBody,
  document,
  documentStatuses,
  documentTypes,
  updateDocumentBody,
} from './document.ts';
import { deleted, documentId, knowledgeBaseId, none, searchText } from './values.ts';

const oneDocument = { params: z.object({ id: knowledgeBaseId, documentId }), query: none, body: null } as const;

/** The fields of a document that waits for its bytes. */
const uploadingExample = {
  status: 'uploading',
  revision: 0,
  mimeType: null,
  contentSha256: null,
  characterCount: null,
  pageCount: null,
  chunkCount: null,
  readyAt: null,
  upload: { url: '/media/v1/WyJ1cGxvYWQiXQ.c2lnbmF0dXJl', expiresAt: '2026-11-18T10:30:00.000Z' },
};

export const createDocument = defineOperation({
  id: 'documents.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/knowledge-bases/{id}/documents',
  scope: 'knowledge:write',
  risk: 'standard',
  summary: 'Add a document',
  description:
    'Adds a text, a page to fetch, or a file. For a file, send its bytes by `PUT` to `upload.url` within an hour. The document is searchable once its status is `ready`. A knowledge base can have up to 1,000 documents and 20,000 chunks.',
  params: z.object({ id: knowledgeBaseId }),
  query: none,
  body: createDocumentBody,
  bodyExample: { file: { name: 'faq.pdf', sizeBytes: 48_120 } },
  success: {
    status: 201,
    description: 'The new document.',
    body: document,
    example: uploadingExample,
    isSecret: true,
  },
});

export const listDocuments = defineOperation({
  id: 'documents.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/knowledge-bases/{id}/documents',
  scope: 'knowledge:read',
  risk: 'standard',
  summary: 'List documents',
  description: 'Returns the documents of a knowledge base, newest first.',
  params: z.object({ id: knowledgeBaseId }),
  query: z.object({
    ...pageParameters,
    q: searchText.optional().meta({
      description:
        'Return only documents whose name contains this text, or whose id equals it. Case and character width are ignored.',
      examples: ['返品'],
    }),
    status: commaSeparated(z.enum(documentStatuses))
      .optional()
      .meta({ description: 'Return only documents with one of these statuses.', examples: [['ready', 'failed']] }),
    type: commaSeparated(z.enum(documentTypes))
      .optional()
      .meta({ description: 'Return only documents of one of these types.', examples: [['url']] }),
  }),
  body: null,
  success: pageSuccess('DocumentPage', document, 'A page of documents.'),
});

export const getDocument = defineOperation({
  ...oneDocument,
  id: 'documents.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/knowledge-bases/{id}/documents/{documentId}',
  scope: 'knowledge:read',
  risk: 'standard',
  summary: 'Get a document',
  description: 'Returns a document.',
  success: { status: 200, description: 'The document.', body: document },
});

export const updateDocument = defineOperation({
  ...oneDocument,
  id: 'documents.update',
  kind: 'change',
  method: 'PATCH',
  path: '/api/v1/knowledge-bases/{id}/documents/{documentId}',
  scope: 'knowledge:write',
  risk: 'standard',
  summary: 'Update a document',
  description:
    'Changes the given fields, or replaces the content: by `text`, `url` or `file`, as for a new document. The former content is searched until the new one is ready. Content of another type is refused (422).',
  body: updateDocumentBody,
  bodyMediaType: 'application/merge-patch+json',
  bodyExample: { name: '返品について' },
  success: { status: 200, description: 'The document.', body: document, isSecret: true },
});

export const deleteDocument = defineOperation({
  ...oneDocument,
  id: 'documents.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/knowledge-bases/{id}/documents/{documentId}',
  scope: 'knowledge:write',
  risk: 'destructive',
  summary: 'Delete a document',
  description: 'Deletes a document with its text, chunks and vectors. No search finds it from then on.',
  success: {
    status: 200,
    description: 'The document has been deleted.',
    body: z
      .strictObject({ id: documentId.max(64), deleted })
      .meta({ id: 'DeletedDocument', description: 'Confirms the deletion.' }),
  },
});

export const refreshDocument = defineOperation({
  ...oneDocument,
  id: 'documents.refresh',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/knowledge-bases/{id}/documents/{documentId}/refresh',
  scope: 'knowledge:write',
  risk: 'standard',
  summary: 'Refresh a document',
  description:
    'Fetches a URL again; indexes the kept text of other documents again. Unchanged content changes nothing. Not possible while the document is being processed (409).',
  success: { status: 200, description: 'The queued document.', body: document, example: { status: 'queued' } },
});

export const listChunks = defineOperation({
  ...oneDocument,
  id: 'documents.chunks.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/knowledge-bases/{id}/documents/{documentId}/chunks',
  scope: 'knowledge:read',
  risk: 'sensitive',
  summary: 'List the chunks of a document',
  description: 'Returns the chunks of the served revision, in the order of the document.',
  query: z.object(pageParameters),
  success: pageSuccess('ChunkPage', chunk, 'A page of chunks.', 'in the order of the document'),
});
