import type { Clock } from '../../../src/voice/clock.ts';
import type {
  Knowledge,
  KnowledgeDocument,
  KnowledgeHit,
  KnowledgeQuery,
  KnowledgeResult,
} from '../../../src/voice/knowledge.ts';

export interface FakeKnowledgeOptions {
  readonly hits?: readonly KnowledgeHit[] | ((query: KnowledgeQuery) => readonly KnowledgeHit[]);
  /** When the lexical result arrives; null: never. */
  readonly lexicalMs?: number | null;
  /** When the hybrid one arrives; absent: there is none. */
  readonly hybridMs?: number;
  readonly isFailing?: boolean;
  readonly everything?: readonly KnowledgeDocument[] | 'too_large' | null;
}

/** Knowledge on the clock of a test. */
export class FakeKnowledge implements Knowledge {
  readonly queries: KnowledgeQuery[] = [];
  readonly startedAt: number[] = [];
  canceled = 0;
  private readonly clock: Clock;
  private readonly options: FakeKnowledgeOptions;

  constructor(clock: Clock, options: FakeKnowledgeOptions = {}) {
    this.clock = clock;
    this.options = options;
  }

  search(query: KnowledgeQuery, onResult: (result: KnowledgeResult | null) => void): () => void {
    const { hits = [], lexicalMs = 5, hybridMs, isFailing = false } = this.options;
    this.queries.push(query);
    this.startedAt.push(this.clock.now());
    const found = typeof hits === 'function' ? hits(query) : hits;
    const cancels: (() => void)[] = [];
    const report = (afterMs: number, mode: KnowledgeResult['mode'], isFinal: boolean): void => {
      const result = { mode, hits: found, tookMs: afterMs, isFinal };
      cancels.push(this.clock.after(afterMs, () => onResult(isFailing ? null : result)));
    };
    if (lexicalMs !== null) report(lexicalMs, 'lexical', hybridMs === undefined);
    if (hybridMs !== undefined && !isFailing) report(hybridMs, 'hybrid', true);
    return () => {
      this.canceled += 1;
      for (const cancel of cancels) cancel();
    };
  }

  readAll(onResult: (documents: readonly KnowledgeDocument[] | 'too_large' | null) => void): () => void {
    return this.clock.after(5, () => onResult(this.options.everything ?? null));
  }
}

export function hit(number: number, fields: Partial<KnowledgeHit> = {}): KnowledgeHit {
  return {
    knowledgeBaseId: 'kb_1',
    documentId: `doc_${number}`,
    documentRevision: 2,
    chunkId: `chk_${number}`,
    score: 1 - number / 100,
    lexicalScore: 1 - number / 100,
    semanticScore: null,
    document: `Document ${number}`,
    section: 'Returns',
    text: `Text ${number} with its neighbors.`,
    chunkText: `Text ${number}.`,
    answer: null,
    ...fields,
  };
}
