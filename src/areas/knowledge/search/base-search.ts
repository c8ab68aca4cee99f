import type { Turn } from './chunk-index.ts';
import { fusedScores, rankedChunks } from './fusion.ts';
import type { LoadedBase } from './loaded-base.ts';
import type { QueryTerm } from './query.ts';
import { bestChunks, lexicalScores } from './score.ts';
import type { QueryVector, SearchMode } from './search.ts';
import { semanticScores } from './vectors.ts';

/** A chunk that was found, without its text. */
export interface FoundChunk {
  readonly chunkId: string;
  readonly documentId: string;
  readonly score: number;
  readonly lexicalScore: number;
  readonly semanticScore: number | null;
}

export interface BaseQuery {
  readonly terms: readonly QueryTerm[];
  readonly vector: QueryVector | null;
  readonly limit: number;
  readonly minScore: number;
  readonly minSemanticScore: number;
}

/** The scores of all chunks. `semantic` is null without vectors to compare; a chunk without a vector has NaN. */
export async function scoreBase(base: LoadedBase, { terms, vector }: Pick<BaseQuery, 'terms' | 'vector'>, turn: Turn) {
  const lexical = await lexicalScores(base.index, terms, turn);
  const isComparable = vector?.model === base.model && base.vectors?.dimensions === vector?.values.length;
  const semantic =
    isComparable && vector !== null && base.vectors !== null
      ? await semanticScores(base.vectors, vector.values, turn)
      : null;
  return { lexical, semantic };
}

/** The best chunks of a base, best first. */
export async function searchBase(
  base: LoadedBase,
  query: BaseQuery,
  turn: Turn,
): Promise<{ readonly mode: SearchMode; readonly found: readonly FoundChunk[] }> {
  const { limit, minScore, minSemanticScore } = query;
  const { lexical, semantic } = await scoreBase(base, query, turn);
  const { chunkIds } = base.index;
  const isLexicalHit = (score: number): boolean => score > 0 && score >= minScore;
  const foundChunk = (chunk: number, score: number): FoundChunk => {
    const semanticScore = semantic?.[chunk] ?? Number.NaN;
    return {
      chunkId: chunkIds[chunk] as string,
      documentId: base.documentIds[chunk] as string,
      score,
      lexicalScore: lexical[chunk] as number,
      semanticScore: Number.isNaN(semanticScore) ? null : semanticScore,
    };
  };
  if (semantic === null) {
    const best = bestChunks(lexical, chunkIds, limit, isLexicalHit);
    return { mode: 'lexical', found: best.map((chunk) => foundChunk(chunk, lexical[chunk] as number)) };
  }
  const fused = fusedScores([
    bestChunks(lexical, chunkIds, rankedChunks, (score) => score > 0),
    bestChunks(semantic, chunkIds, rankedChunks, (score) => !Number.isNaN(score)),
  ]);
  const found = [...fused]
    .map(([chunk, score]) => foundChunk(chunk, score))
    .filter(
      ({ lexicalScore, semanticScore }) =>
        isLexicalHit(lexicalScore) || (semanticScore !== null && semanticScore >= minSemanticScore),
    )
    .toSorted(byScore)
    .slice(0, limit);
  return { mode: 'hybrid', found };
}

/** Best first; if scores are equal, the lower id. */
export function byScore(one: FoundChunk, other: FoundChunk): number {
  if (one.score !== other.score) return other.score - one.score;
  return one.chunkId < other.chunkId ? -1 : 1;
}
