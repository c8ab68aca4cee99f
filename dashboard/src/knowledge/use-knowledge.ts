import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Document, KnowledgeBase } from '../../../sdk/src/index.ts';
import { useClient, useScope } from '../session/use-session.ts';
import { isInWork } from './documents.ts';

/** While something is being processed, and otherwise: others may add documents too. */
const workingMs = 1500;
const restingMs = 15_000;
const pageSize = 50;

export function useBases() {
  const { knowledgeBases } = useClient();
  const { isAllowed } = useScope('knowledge:read');
  return useQuery({
    queryKey: ['knowledge', 'list'],
    queryFn: async ({ signal }) => {
      const found: KnowledgeBase[] = [];
      for await (const base of knowledgeBases.list({ limit: 200 }, { signal })) found.push(base);
      return found;
    },
    enabled: isAllowed,
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'updating') ? workingMs : restingMs),
  });
}

export function useBase(id: string) {
  const { knowledgeBases } = useClient();
  return useQuery({
    queryKey: ['knowledge', 'one', id],
    queryFn: ({ signal }) => knowledgeBases.get(id, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.status === 'updating' || state.data?.semantic.status === 'building' ? workingMs : restingMs,
  });
}

/** All documents of a base: there are at most 1,000. */
export function useDocuments(baseId: string) {
  const { documents } = useClient();
  return useQuery({
    queryKey: ['knowledge', 'documents', baseId],
    queryFn: async ({ signal }) => {
      const found: Document[] = [];
      for await (const document of documents.list(baseId, { limit: 200 }, { signal })) found.push(document);
      return found;
    },
    refetchInterval: ({ state }) => (state.data?.some(isInWork) ? workingMs : restingMs),
  });
}

/** The chunks of a document, in its order. */
export function useChunks({ knowledgeBaseId, id, revision }: Document) {
  const { documents } = useClient();
  const list = useInfiniteQuery({
    queryKey: ['knowledge', 'chunks', id, revision],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: pageSize, ...(pageParam !== null && { cursor: pageParam }) };
      const { items, nextCursor } = await documents.chunks.list(knowledgeBaseId, id, query, { signal });
      return { items, nextCursor };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  return { ...list, items: list.data?.pages.flatMap(({ items }) => items) ?? [] };
}
