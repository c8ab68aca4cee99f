import { type AppliedKnowledgeSettings, maxPromptCharacters } from '../../contract/agents/settings/knowledge.ts';
import type { Database } from '../../storage/database.ts';
import type {
  Knowledge,
  KnowledgeDocument,
  KnowledgeHit,
  KnowledgeQuery,
  KnowledgeResult,
} from '../../voice/knowledge.ts';
import type { BaseStore } from './bases/store.ts';
import type { DocumentStore } from './documents/store.ts';
import type { Embeddings } from './embeddings/embeddings.ts';
import { cleanText } from './extraction/cleaning.ts';
import { questionAndAnswer } from './extraction/question-answer.ts';
import type { KnowledgeSearch, QueryVector, SearchHit, SearchResult } from './search/search.ts';

export interface CallKnowledgeParts {
  readonly database: Database;
  readonly bases: BaseStore;
  readonly documents: DocumentStore;
  readonly search: KnowledgeSearch;
  readonly embeddingsOf: (workspaceId: string) => Embeddings | null;
}

/** A hit is handed over with its neighbors up to this length. */
const passageCharacters = 1200;
/** A query with fewer terms of weight 1 says too little by itself. */
const minWeightedTerms = 3;
/** Answers are chosen from these, because other chunks do not count. */
const answerCandidates = 50;

/** The knowledge of an agent in a call. */
export function createCallKnowledge(parts: CallKnowledgeParts) {
  return (workspaceId: string, settings: AppliedKnowledgeSettings): Knowledge => {
    const baseIds = settings.bases.map(({ id }) => id);
    let provider: Promise<Embeddings | null> | null = null;
    /** Null if none of the bases uses it. */
    const findProvider = (): Promise<Embeddings | null> => {
      provider ??= providerOf(parts, workspaceId, baseIds);
      return provider;
    };

    const run = async (query: KnowledgeQuery, signal: AbortSignal, report: (result: KnowledgeResult) => void) => {
      const startedAt = performance.now();
      const limit = query.answersOnly === true ? answerCandidates : settings.limit;
      const { minScore, minSemanticScore } = settings;
      const find = (words: string, vector: QueryVector | null) =>
        parts.search.search({
          workspaceId,
          baseIds,
          query: words,
          limit,
          minScore,
          minSemanticScore,
          vector,
          mayBeStale: true,
          passageCharacters,
        });
      const resultOf = ({ hits, mode }: SearchResult, isFinal: boolean): KnowledgeResult => {
        const all = hits.map(callHitOf);
        const wanted = query.answersOnly === true ? all.filter(({ answer }) => answer !== null) : all;
        const tookMs = Math.round(performance.now() - startedAt);
        return { mode, hits: wanted.slice(0, settings.limit), tookMs, isFinal };
      };

      let words = query.words;
      let lexical = await find(words, null);
      if (lexical.weightedTerms < minWeightedTerms && query.previous !== null) {
        words = `${query.previous} ${query.words}`;
        lexical = await find(words, null);
      }
      const embeddings = signal.aborted ? null : await findProvider();
      if (embeddings === null) return report(resultOf(lexical, true));
      report(resultOf(lexical, false));
      const hybrid = await embeddings
        .embedQuery(words, signal)
        .then((values) => find(words, { model: embeddings.model, values }))
        .catch(() => lexical);
      report(resultOf(hybrid, true));
    };

    return {
      search: (query, onResult) =>
        reporting<KnowledgeResult | null>(onResult, (report, signal) => run(query, signal, report), null),
      readAll: (onResult) =>
        reporting<readonly KnowledgeDocument[] | 'too_large' | null>(
          onResult,
          async (report) => report(await readTexts(parts, workspaceId, baseIds)),
          null,
        ),
    };
  };
}

/** Runs `work` after the caller has gone on. Nothing is reported after it was canceled; a failure is `failed`. */
function reporting<Result>(
  onResult: (result: Result) => void,
  work: (report: (result: Result) => void, signal: AbortSignal) => Promise<void>,
  failed: Result,
): () => void {
  const canceling = new AbortController();
  const report = (result: Result): void => {
    if (!canceling.signal.aborted) onResult(result);
  };
  void Promise.resolve()
    .then(() => work(report, canceling.signal))
    .catch(() => report(failed));
  return () => canceling.abort(new Error('the search was canceled'));
}

async function providerOf(
  { database, bases, embeddingsOf }: CallKnowledgeParts,
  workspaceId: string,
  baseIds: readonly string[],
): Promise<Embeddings | null> {
  const embeddings = embeddingsOf(workspaceId);
  if (embeddings === null) return null;
  for (const id of baseIds) {
    if ((await bases.read(database, workspaceId, id))?.base.useEmbeddings === true) return embeddings;
  }
  return null;
}

async function readTexts(
  { bases, documents }: CallKnowledgeParts,
  workspaceId: string,
  baseIds: readonly string[],
): Promise<readonly KnowledgeDocument[] | 'too_large'> {
  const attached = await bases.attached(workspaceId, baseIds);
  const characters = attached.reduce((sum, { characterCount }) => sum + characterCount, 0);
  if (characters > maxPromptCharacters) return 'too_large';
  const texts: KnowledgeDocument[] = [];
  for (const id of baseIds) {
    if (attached.some((base) => base.id === id)) texts.push(...(await documents.texts(id)));
  }
  // Partners name documents, and titles of pages are names, too: texts were cleaned when they were extracted.
  return texts.map(({ document, text }) => ({ document: cleanText(document).text, text }));
}

function callHitOf(hit: SearchHit): KnowledgeHit {
  const { documentId, documentRevision, chunkId, score, lexicalScore, semanticScore } = hit;
  return {
    knowledgeBaseId: hit.baseId,
    documentId,
    documentRevision,
    chunkId,
    score,
    lexicalScore,
    semanticScore,
    document: cleanText(hit.documentName).text,
    section: hit.headingPath.join(' > '),
    text: hit.passage,
    chunkText: hit.text,
    answer: questionAndAnswer(hit.text)?.answer ?? null,
  };
}
