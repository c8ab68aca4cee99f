import type { EvaluateBody, Evaluation } from '../../../contract/knowledge/search.ts';
import { unprocessable } from '../../../core/errors.ts';
import { fold } from '../../../core/folding.ts';
import type { KnowledgeSearch, QueryVector, SearchHit, SearchMode } from './search.ts';

export interface EvaluationContext {
  readonly search: Pick<KnowledgeSearch, 'search' | 'explain'>;
  readonly workspaceId: string;
  readonly baseId: string;
  /** Required for `hybrid`. Rejects if the provider fails. */
  readonly embedQuery: ((query: string) => Promise<QueryVector>) | null;
  readonly modes: readonly SearchMode[];
  readonly now: () => number;
}

type Question = EvaluateBody['questions'][number];
type Miss = Evaluation['misses'][number];

interface Outcome {
  /** The rank of the first right result, starting at 1; null if there is none. */
  readonly rank: number | null;
  readonly bestScore: number;
  readonly miss: Miss | null;
}

const maxMs = 10_000;

/** Searches for each question, and reports how often the right document was found. Stores nothing. */
export async function evaluate(context: EvaluationContext, body: EvaluateBody): Promise<Evaluation> {
  const deadline = context.now() + maxMs;
  const modes: Evaluation['modes'] = [];
  const misses: Miss[] = [];
  for (const mode of context.modes) {
    const outcomes: Outcome[] = [];
    for (const question of body.questions) {
      if (context.now() > deadline) {
        throw unprocessable({ questions: ['take more than 10 seconds; send fewer at a time'] });
      }
      outcomes.push(await outcomeOf(context, mode, question, body));
    }
    modes.push(summaryOf(mode, outcomes));
    misses.push(...outcomes.flatMap(({ miss }) => miss ?? []));
  }
  return { modes, misses };
}

async function outcomeOf(
  context: EvaluationContext,
  mode: SearchMode,
  question: Question,
  { limit, minScore }: EvaluateBody,
): Promise<Outcome> {
  const { search, workspaceId, baseId, embedQuery } = context;
  const { query, expected } = question;
  const vector = mode === 'hybrid' && embedQuery !== null ? await embedQuery(query) : null;
  const minScores = { minScore, minSemanticScore: 0 };
  const { hits } = await search.search({ workspaceId, baseIds: [baseId], query, limit, vector, ...minScores });
  const place = hits.findIndex((hit) => isRight(hit, question));
  const bestScore = hits[0]?.score ?? 0;
  if (place >= 0) return { rank: place + 1, bestScore, miss: null };
  const contains = question.contains ?? null;
  const { isIndexed, hasText, best } = await search.explain({
    ...{ workspaceId, baseId, query, vector, contains },
    documents: expected,
  });
  const isHit =
    best !== null &&
    ((best.lexicalScore > 0 && best.lexicalScore >= minScore) ||
      (best.semanticScore !== null && best.semanticScore >= 0));
  const got = hits.map(({ documentId, score }) => ({ documentId, score }));
  return { rank: null, bestScore, miss: { mode, query, expected, got, reason: reason(isIndexed, hasText, isHit) } };
}

function isRight({ documentId, documentName, text }: SearchHit, { expected, contains }: Question): boolean {
  const isExpected = expected.includes(documentId) || expected.includes(documentName);
  return isExpected && (contains === undefined || fold(text).includes(fold(contains)));
}

function reason(isIndexed: boolean, hasText: boolean, isHit: boolean): Miss['reason'] {
  if (!isIndexed) return 'not_indexed';
  if (!hasText) return 'text_not_in_document';
  return isHit ? 'outranked' : 'below_min_score';
}

function summaryOf(mode: SearchMode, outcomes: readonly Outcome[]): Evaluation['modes'][number] {
  const ranks = outcomes.flatMap(({ rank }) => rank ?? []);
  const share = (count: number): number => count / outcomes.length;
  const bestScores = (isHit: boolean): number[] =>
    outcomes.filter(({ rank }) => (rank !== null) === isHit).map(({ bestScore }) => bestScore);
  return {
    mode,
    hitRate1: share(ranks.filter((rank) => rank === 1).length),
    hitRate: share(ranks.length),
    meanReciprocalRank: share(ranks.reduce((sum, rank) => sum + 1 / rank, 0)),
    hitScores: percentilesOf(bestScores(true)),
    missScores: percentilesOf(bestScores(false)),
  };
}

/** Nearest ranks. */
function percentilesOf(scores: readonly number[]): Evaluation['modes'][number]['hitScores'] {
  if (scores.length === 0) return null;
  const sorted = scores.toSorted((one, other) => one - other);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] as number;
  return { p10: at(0.1), p50: at(0.5), p90: at(0.9) };
}
