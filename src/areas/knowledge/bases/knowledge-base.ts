import type {
  BaseChanges,
  BaseStatus,
  KnowledgeBase,
  NewBaseFields,
} from '../../../contract/knowledge/knowledge-base.ts';
import { etagOf } from '../../../core/etag.ts';

export function newBase(id: string, workspaceId: string, fields: NewBaseFields, now: string): KnowledgeBase {
  const { name, description, language, chunkSize, synonyms, useEmbeddings } = fields;
  return {
    id,
    workspaceId,
    name,
    description,
    language,
    status: 'empty',
    revision: 0,
    chunkSize,
    synonyms,
    useEmbeddings,
    semantic: { status: 'off', model: null, dimensions: null, coverage: 0 },
    documentCount: 0,
    chunkCount: 0,
    sizeBytes: 0,
    createdAt: now,
    updatedAt: now,
  };
}

export function changedBase(base: KnowledgeBase, changes: BaseChanges): KnowledgeBase {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { ...base, ...given };
}

/** Whether search works differently with the other one. */
export function isSearchedDifferently(base: KnowledgeBase, other: KnowledgeBase): boolean {
  const searched = ({ language, synonyms, useEmbeddings }: KnowledgeBase) => [language, synonyms, useEmbeddings];
  return JSON.stringify(searched(base)) !== JSON.stringify(searched(other));
}

/** What the chunks of a document depend on besides its text. */
export function splittingOf({ chunkSize, language }: Pick<KnowledgeBase, 'chunkSize' | 'language'>): string {
  return `${chunkSize}/${language}`;
}

/** What the documents of a base add up to. */
export interface BaseCounts {
  readonly documents: number;
  readonly inWork: number;
  readonly failed: number;
  readonly chunks: number;
  readonly textBytes: number;
}

export function countedBase(base: KnowledgeBase, counts: BaseCounts): KnowledgeBase {
  return {
    ...base,
    status: statusOf(counts),
    documentCount: counts.documents,
    chunkCount: counts.chunks,
    sizeBytes: counts.textBytes,
  };
}

function statusOf({ inWork, failed, chunks }: BaseCounts): BaseStatus {
  if (inWork > 0) return 'updating';
  if (failed > 0) return 'degraded';
  return chunks === 0 ? 'empty' : 'ready';
}

/** Changes with every field except what ingestion changes all the time. */
export function baseTag(base: KnowledgeBase): string {
  const { status: _, revision: __, semantic: ___, documentCount, chunkCount, sizeBytes, ...rest } = base;
  return etagOf(JSON.stringify(rest));
}
