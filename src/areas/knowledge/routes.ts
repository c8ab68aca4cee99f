import { type KnowledgeBase, searchModes } from '../../contract/knowledge/knowledge-base.ts';
import type { SearchResults } from '../../contract/knowledge/search.ts';
import { providerNotConfigured, upstreamError } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import type { Reads } from '../../storage/database.ts';
import { foundBase } from './bases/routes.ts';
import type { BaseStore } from './bases/store.ts';
import { type Embeddings, EmbeddingsError } from './embeddings/embeddings.ts';
import type { FindPages } from './fetching/find-pages.ts';
import type { KnowledgeHandlers } from './handlers.ts';
import { evaluate } from './search/evaluate.ts';
import type { KnowledgeSearch, QueryVector, SearchHit } from './search/search.ts';

export interface SearchRouteParts {
  readonly reads: Reads;
  readonly bases: BaseStore;
  readonly search: KnowledgeSearch;
  readonly embeddingsOf: (workspaceId: string) => Embeddings | null;
  readonly findPages: FindPages;
  readonly now: () => number;
}

type Handlers = Pick<
  KnowledgeHandlers,
  'knowledgeBases.search' | 'knowledgeBases.evaluate' | 'knowledgeBases.pages.find'
>;

export function searchRoutes({ reads, bases, search, embeddingsOf, findPages, now }: SearchRouteParts): Handlers {
  const read = async (workspaceId: string, id: string): Promise<KnowledgeBase> =>
    foundBase(isId('kb', id) ? await bases.read(reads, workspaceId, id) : undefined).base;
  const providerOf = ({ useEmbeddings, workspaceId }: KnowledgeBase) =>
    useEmbeddings ? embeddingsOf(workspaceId) : null;

  /** Null: search by words only. */
  const vectorOf = async (
    base: KnowledgeBase,
    { query, mode }: { readonly query: string; readonly mode?: 'lexical' | 'hybrid' | undefined },
    startWaiting: () => AbortSignal,
  ): Promise<QueryVector | null> => {
    const provider = providerOf(base);
    if (provider === null && mode === 'hybrid') throw providerNotConfigured('embeddings');
    if (provider === null || mode === 'lexical') return null;
    try {
      return { model: provider.model, values: await provider.embedQuery(query, startWaiting()) };
    } catch (error) {
      if (mode !== 'hybrid') return null;
      return asUpstream(error);
    }
  };

  return {
    'knowledgeBases.search': async ({ caller: { workspaceId }, params, body, startWaiting }) => {
      const startedAt = performance.now();
      const base = await read(workspaceId, params.id);
      const vector = await vectorOf(base, body, startWaiting);
      const { query, limit, minScore, minSemanticScore } = body;
      const thresholds = { minScore, minSemanticScore };
      const found = await search.search({ workspaceId, baseIds: [base.id], query, limit, ...thresholds, vector });
      const revision = found.revisions[base.id];
      // The base was deleted in the meantime.
      if (revision === undefined) foundBase(undefined);
      const tookMs = Math.round(performance.now() - startedAt);
      return { body: { results: found.hits.map(resultOf), mode: found.mode, revision: revision ?? 0, tookMs } };
    },

    'knowledgeBases.evaluate': async ({ caller: { workspaceId }, params, body, startWaiting }) => {
      const base = await read(workspaceId, params.id);
      const provider = providerOf(base);
      const { modes = provider === null ? (['lexical'] as const) : searchModes } = body;
      if (provider === null && modes.includes('hybrid')) throw providerNotConfigured('embeddings');
      const signal = startWaiting();
      const queries = body.questions.map(({ query }) => query);
      const embedQuery = provider === null ? null : embedTogether(provider, queries, signal);
      const context = { search, workspaceId, baseId: base.id, embedQuery, modes: [...new Set(modes)], now };
      return { body: await evaluate(context, body).catch(asUpstream) };
    },

    'knowledgeBases.pages.find': async ({ caller: { workspaceId }, params, body: { url }, startWaiting }) => {
      await read(workspaceId, params.id);
      const { urls, truncated } = await findPages(url, startWaiting());
      return { body: { urls: [...urls], truncated } };
    },
  };
}

/** All at once with the first: one after another, 1,000 questions would take minutes. */
function embedTogether(
  provider: Embeddings,
  queries: readonly string[],
  signal: AbortSignal,
): (query: string) => Promise<QueryVector> {
  const texts = [...new Set(queries)];
  let embedded: Promise<Int8Array[]> | null = null;
  return async (query) => {
    embedded ??= provider.embedQueries(texts, signal);
    return { model: provider.model, values: (await embedded)[texts.indexOf(query)] as Int8Array };
  };
}

function asUpstream(error: unknown): never {
  throw error instanceof EmbeddingsError ? upstreamError('embeddings', error.code, error.retryable) : error;
}

function resultOf(hit: SearchHit): SearchResults['results'][number] {
  const { chunkId: id, documentId, documentRevision, index, headingPath, page, start, end, text } = hit;
  return {
    chunk: { id, documentId, documentRevision, index, headingPath: [...headingPath], page, start, end, text },
    documentName: hit.documentName,
    score: hit.score,
    lexicalScore: hit.lexicalScore,
    semanticScore: hit.semanticScore,
    highlights: [...hit.highlights],
  };
}
