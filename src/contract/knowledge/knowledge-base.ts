import { z } from 'zod';
import { text } from '../text.ts';
import { count, knowledgeBaseId, name, time, timeExample, workspaceId } from './values.ts';

export const maxBases = 100;
/** Per knowledge base. */
export const maxDocuments = 1000;
/** Per knowledge base. */
export const maxChunks = 20_000;

export const defaultChunkSize = 600;

/** In this order: the first that applies. */
export const baseStatuses = ['updating', 'degraded', 'empty', 'ready'] as const;
export type BaseStatus = (typeof baseStatuses)[number];

export const semanticStatuses = ['off', 'building', 'ready', 'failed'] as const;
export type SemanticStatus = (typeof semanticStatuses)[number];

export const searchModes = ['lexical', 'hybrid'] as const;
export type SearchMode = (typeof searchModes)[number];

const nameMeta = { description: 'The name of the knowledge base.', examples: ['店舗FAQ'] };
const description = text({ max: 1000 })
  .nullable()
  .meta({ description: 'What it is about.', examples: ['返品、配送、支払い'] });
const language = text({ min: 1, max: 64 }).meta({
  description: 'The language of its documents, as a BCP 47 tag: how sentences and word endings are recognized.',
  examples: ['ja'],
});
/** In requests. Bases that are older than this check may have any text. */
const languageTag = language.refine(isLanguageTag, { error: 'must be a BCP 47 tag, such as ja or en-US' });
const chunkSize = z
  .int()
  .min(200)
  .max(2000)
  .meta({
    description: 'The maximum length of a chunk, in characters. A change indexes every document again.',
    examples: [600],
  });
const synonyms = z
  .array(
    z
      .array(text({ min: 1, max: 50 }))
      .min(2)
      .max(10),
  )
  .max(500)
  .meta({
    description: 'Groups of terms that mean the same to callers. They are applied to queries.',
    examples: [[['犬', '猫', 'ペット']]],
  });
const useEmbeddings = z.boolean().meta({
  description:
    'Whether its texts are sent to the embeddings provider, if the operator has configured one. False: no text of it leaves the service.',
  examples: [true],
});

export const semantic = z
  .strictObject({
    status: z.enum(semanticStatuses).meta({
      description:
        '`off`: no provider is configured, or `useEmbeddings` is false. `building`: chunks are still without a vector. `ready`: all have one. `failed`: the provider fails; it is tried again.',
      examples: ['off'],
    }),
    model: z
      .string()
      .max(255)
      .nullable()
      .meta({ description: 'The model of the vectors.', examples: [null] }),
    dimensions: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'The length of a vector.', examples: [null] }),
    coverage: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'The share of chunks that have a vector.', examples: [0] }),
  })
  .meta({ id: 'SemanticIndex', description: 'Search by meaning, beside search by words.' });

export type SemanticIndex = z.infer<typeof semantic>;

export const knowledgeBase = z
  .strictObject({
    id: knowledgeBaseId.max(64),
    workspaceId,
    name: name.meta(nameMeta),
    description,
    language,
    status: z.enum(baseStatuses).meta({
      description:
        'The first that applies. `updating`: a document is being processed. `degraded`: a document has failed; the rest is searched. `empty`: there is nothing to search. `ready`.',
      examples: ['ready'],
    }),
    revision: count.meta({ description: 'Increases with every change that search can see.', examples: [12] }),
    chunkSize,
    synonyms,
    useEmbeddings,
    semantic,
    documentCount: count.meta({ description: 'How many documents it has.', examples: [3] }),
    chunkCount: count.meta({ description: 'How many chunks it has.', examples: [41] }),
    sizeBytes: count.meta({ description: 'The size of the extracted texts, in bytes.', examples: [52_310] }),
    createdAt: time.meta({ description: 'When it was created.', examples: [timeExample] }),
    updatedAt: time.meta({ description: 'When it was last changed by a request.', examples: [timeExample] }),
  })
  .meta({ id: 'KnowledgeBase', description: 'A set of documents that agents look things up in.' });

export type KnowledgeBase = z.infer<typeof knowledgeBase>;

function isLanguageTag(value: string): boolean {
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

export const createBaseBody = z
  .object({
    name: name.meta(nameMeta),
    description: description.default(null),
    language: languageTag.default('ja'),
    chunkSize: chunkSize.default(defaultChunkSize),
    synonyms: synonyms.default([]),
    useEmbeddings: useEmbeddings.default(true),
  })
  .meta({ id: 'CreateKnowledgeBase', description: 'A new knowledge base.' });

export const updateBaseBody = z
  .object({
    name: name.optional().meta(nameMeta),
    description: description.optional(),
    language: languageTag.optional(),
    chunkSize: chunkSize.optional(),
    synonyms: synonyms.optional(),
    useEmbeddings: useEmbeddings.optional(),
  })
  .meta({ id: 'UpdateKnowledgeBase', description: 'The fields to change. `synonyms` is replaced as a whole.' });

export type NewBaseFields = z.output<typeof createBaseBody>;
export type BaseChanges = z.output<typeof updateBaseBody>;
