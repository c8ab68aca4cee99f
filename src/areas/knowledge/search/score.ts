import { type ChunkIndex, chunkCountOf, type Turn } from './chunk-index.ts';
import { maxFrequencyFactor } from './length-factors.ts';
import type { QueryTerm } from './query.ts';

/** A synonym that more chunks have says little about each of them, and would take as long as ten that say more. */
const maxChunksOfSynonym = 2000;

/** How many postings are scored before others get a turn: about two milliseconds. */
const postingsPerTurn = 500_000;

/** How rare a term is that occurs in `count` of `chunks`. */
export function inverseFrequency(chunks: number, count: number): number {
  return Math.log(1 + (chunks - count + 0.5) / (count + 0.5));
}

/**
 * The lexical score of every chunk, 0 to 1: Σ w·idf·tf′ / (2.2 · Σ w·idf), where tf′ is that of BM25. Terms of synonyms
 * count half in the second sum, because no chunk has all of them, and in neither if no chunk or very many chunks have
 * them; 1 is the limit. The sums are in the order of the query's terms, so that a score is the same to the last digit
 * wherever it is computed.
 */
export async function lexicalScores(index: ChunkIndex, query: readonly QueryTerm[], turn: Turn): Promise<Float64Array> {
  const { postings, starts, singles } = index;
  const chunks = index.chunkIds.length;
  const scores = new Float64Array(chunks);
  const { normalization, single } = index.lengthFactors;
  let total = 0;
  let work = 0;
  for (const queryTerm of query) {
    const term = index.terms.of(queryTerm);
    const isKnown = term >= 0 && term < index.termCount;
    const count = isKnown ? chunkCountOf(index, term) : 0;
    if (queryTerm.isAdded && (count === 0 || count > maxChunksOfSynonym)) continue;
    const weight = queryTerm.weight * inverseFrequency(chunks, count);
    total += queryTerm.isAdded ? weight / 2 : weight;
    if (!isKnown) continue;
    const end = starts[term + 1] as number;
    const middle = (starts[term] as number) + (singles[term] as number);
    for (let at = starts[term] as number; at < middle; at += 1) {
      const chunk = postings[at] as number;
      scores[chunk] = (scores[chunk] as number) + weight * (single[chunk] as number);
    }
    for (let at = middle; at < end; at += 2) {
      const chunk = postings[at] as number;
      const frequency = postings[at + 1] as number;
      const factor = (frequency * maxFrequencyFactor) / (frequency + (normalization[chunk] as number));
      scores[chunk] = (scores[chunk] as number) + weight * factor;
    }
    work += end - (starts[term] as number);
    if (work > postingsPerTurn) {
      work = 0;
      await turn();
    }
  }
  if (total > 0) for (let chunk = 0; chunk < chunks; chunk += 1) scores[chunk] = share(scores[chunk] as number, total);
  return scores;
}

function share(sum: number, total: number): number {
  return Math.min(1, sum / (maxFrequencyFactor * total));
}

/** The numbers of the best chunks, best first. Of equal scores, the lower id comes first. */
export function bestChunks(
  scores: Float64Array,
  chunkIds: readonly string[],
  count: number,
  isCandidate: (score: number) => boolean,
): number[] {
  const best: number[] = [];
  const isBefore = (chunk: number, other: number): boolean => {
    const difference = (scores[chunk] as number) - (scores[other] as number);
    return difference === 0 ? (chunkIds[chunk] as string) < (chunkIds[other] as string) : difference > 0;
  };
  for (let chunk = 0; chunk < scores.length; chunk += 1) {
    if (!isCandidate(scores[chunk] as number)) continue;
    if (best.length === count && !isBefore(chunk, best[count - 1] as number)) continue;
    let place = best.length;
    while (place > 0 && isBefore(chunk, best[place - 1] as number)) place -= 1;
    best.splice(place, 0, chunk);
    if (best.length > count) best.pop();
  }
  return best;
}
