import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { text } from '../text.ts';
import { chunk, maxUrlCharacters } from './document.ts';
import { createBaseBody, knowledgeBase, updateBaseBody } from './knowledge-base.ts';
import { evaluateBody, evaluation, searchBody, searchResults } from './search.ts';
import { chunkId, deleted, documentExample, knowledgeBaseId, none, searchText } from './values.ts';

const etag = {
  ETag: 'The entity tag of the knowledge base. Its status, revision, counts and vectors do not change it.',
};
const oneBase = { params: z.object({ id: knowledgeBaseId }), query: none, body: null } as const;

export const createKnowledgeBase = defineOperation({
  id: 'knowledgeBases.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/knowledge-bases',
  scope: 'knowledge:write',
  risk: 'standard',
  summary: 'Create a knowledge base',
  description:
    'Creates an empty knowledge base. Add documents to it, and name it in `agentSettings.knowledge` of an agent. A workspace can have up to 100.',
  params: none,
  query: none,
  body: createBaseBody,
  bodyExample: { name: '店舗FAQ' },
  success: {
    status: 201,
    description: 'The new knowledge base.',
    body: knowledgeBase,
    headers: etag,
    example: { status: 'empty', revision: 0, documentCount: 0, chunkCount: 0, sizeBytes: 0 },
  },
});

export const listKnowledgeBases = defineOperation({
  id: 'knowledgeBases.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/knowledge-bases',
  scope: 'knowledge:read',
  risk: 'standard',
  summary: 'List knowledge bases',
  description: 'Returns the knowledge bases of the workspace, newest first.',
  params: none,
  query: z.object({
    ...pageParameters,
    q: searchText.optional().meta({
      description:
        'Return only knowledge bases whose name contains this text, or whose id equals it. Case and character width are ignored.',
      examples: ['FAQ'],
    }),
  }),
  body: null,
  success: pageSuccess('KnowledgeBasePage', knowledgeBase, 'A page of knowledge bases.'),
});

export const getKnowledgeBase = defineOperation({
  ...oneBase,
  id: 'knowledgeBases.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/knowledge-bases/{id}',
  scope: 'knowledge:read',
  risk: 'standard',
  summary: 'Get a knowledge base',
  description: 'Returns a knowledge base.',
  success: { status: 200, description: 'The knowledge base.', body: knowledgeBase, headers: etag },
});

export const updateKnowledgeBase = defineOperation({
  ...oneBase,
  id: 'knowledgeBases.update',
  kind: 'change',
  method: 'PATCH',
  path: '/api/v1/knowledge-bases/{id}',
  scope: 'knowledge:write',
  risk: 'standard',
  summary: 'Update a knowledge base',
  description:
    'Changes the given fields. A new `chunkSize` or `language` splits every document again; the former chunks are searched until then.',
  body: updateBaseBody,
  bodyMediaType: 'application/merge-patch+json',
  bodyExample: { synonyms: [['犬', '猫', 'ペット']] },
  condition: 'If-Match',
  success: { status: 200, description: 'The knowledge base.', body: knowledgeBase, headers: etag },
});

export const deleteKnowledgeBase = defineOperation({
  ...oneBase,
  id: 'knowledgeBases.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/knowledge-bases/{id}',
  scope: 'knowledge:write',
  risk: 'destructive',
  summary: 'Delete a knowledge base',
  description:
    'Deletes a knowledge base with its documents. Not possible while the newest published version of an agent names it (409).',
  condition: 'If-Match',
  success: {
    status: 200,
    description: 'The knowledge base has been deleted.',
    body: z
      .strictObject({ id: knowledgeBaseId.max(64), deleted })
      .meta({ id: 'DeletedKnowledgeBase', description: 'Confirms the deletion.' }),
  },
});

export const searchKnowledgeBase = defineOperation({
  ...oneBase,
  id: 'knowledgeBases.search',
  // A search may wait for the embeddings provider, which does not count as time of the service.
  kind: 'read',
  isLongPoll: true,
  method: 'POST',
  path: '/api/v1/knowledge-bases/{id}/search',
  scope: 'knowledge:read',
  rateLimit: { name: 'knowledge-searches', requests: 300, windowSeconds: 60 },
  risk: 'sensitive',
  summary: 'Search a knowledge base',
  description:
    'Finds the chunks that match a query best. Limited to 300 requests per minute per API key; the searches of calls do not count.',
  body: searchBody,
  bodyExample: { query: '返品は何日以内ですか' },
  success: { status: 200, description: 'What was found.', body: searchResults },
});

export const evaluateKnowledgeBase = defineOperation({
  ...oneBase,
  id: 'knowledgeBases.evaluate',
  kind: 'read',
  isLongPoll: true,
  method: 'POST',
  path: '/api/v1/knowledge-bases/{id}/evaluate',
  scope: 'knowledge:read',
  risk: 'standard',
  summary: 'Evaluate a knowledge base',
  description:
    'Searches for each question, and reports how often the right document was found, and why it was not. Nothing is stored. Takes up to 10 seconds.',
  body: evaluateBody,
  bodyExample: { questions: [{ query: '買ったものを返したい', expected: [documentExample] }] },
  success: { status: 200, description: 'The results.', body: evaluation },
});

export const getKnowledgeChunk = defineOperation({
  id: 'knowledgeBases.chunks.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/knowledge-bases/{id}/chunks/{chunkId}',
  scope: 'knowledge:read',
  risk: 'sensitive',
  summary: 'Get a chunk',
  description:
    'Returns a chunk, such as a source of a turn in a call. Not found once its document has been deleted or no longer has it.',
  params: z.object({ id: knowledgeBaseId, chunkId }),
  query: none,
  body: null,
  success: { status: 200, description: 'The chunk.', body: chunk },
});

export const findPages = defineOperation({
  ...oneBase,
  id: 'knowledgeBases.pages.find',
  kind: 'read',
  isLongPoll: true,
  method: 'POST',
  path: '/api/v1/knowledge-bases/{id}/find-pages',
  scope: 'knowledge:write',
  rateLimit: { name: 'page-searches', requests: 20, windowSeconds: 60 },
  risk: 'standard',
  summary: 'Find the pages of a website',
  description:
    'Returns up to 500 addresses of the same host: those of its sitemap, or else the links of the page. Create a document for each that you want. Limited to 20 requests per minute per API key.',
  body: z
    .object({
      url: text({ min: 1, max: maxUrlCharacters }).meta({
        description: 'A page of the website.',
        examples: ['https://shop.example.com/'],
      }),
    })
    .meta({ id: 'FindPages', description: 'Where to look.' }),
  bodyExample: { url: 'https://shop.example.com/' },
  success: {
    status: 200,
    description: 'The addresses.',
    body: z
      .strictObject({
        urls: z
          .array(z.string().max(maxUrlCharacters))
          .meta({ description: 'The addresses.', examples: [['https://shop.example.com/faq']] }),
        truncated: z.boolean().meta({ description: 'Whether there are more.', examples: [false] }),
      })
      .meta({ id: 'FoundPages', description: 'The pages of a website.' }),
  },
});
