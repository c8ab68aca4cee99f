import { type ChunkIndex, chunkCountOf, type Turn } from './chunk-index.ts';
import type { QueryTerm } from './query.ts';

/** The parameters of BM25. */
const k1 = 1.2;
const b = 0.75;
/** The limit of tf′ as a term occurs more often. */
const maxFrequencyFactor = k1 + 1;

/** A synonym that more chunks have says little about each of them, and would take as long as ten that say more. */
const maxChunksOfSynonym = 2000;

/** How many postings are scored before others get a turn: about two milliseconds. */
const postingsPerTurn = 500_000;
/** How many bytes of vectors are multiplied before others get a turn: about four milliseconds. */
const bytesPerTurn = 4_000_000;

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
  const normalization = lengthNormalization(index);
  // Most terms occur once in a chunk, and a division takes longest.
  const singleFactors = normalization.map((value) => maxFrequencyFactor / (1 + value));
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
      scores[chunk] = (scores[chunk] as number) + weight * (singleFactors[chunk] as number);
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

/** What is added to the frequency in the denominator of tf′. A term counts less in a chunk that is longer than others. */
function lengthNormalization({ lengths, totalLength }: ChunkIndex): Float64Array {
  const meanLength = totalLength / lengths.length;
  const values = new Float64Array(lengths.length);
  for (let chunk = 0; chunk < lengths.length; chunk += 1) {
    values[chunk] = k1 * (1 - b + (b * (lengths[chunk] as number)) / meanLength);
  }
  return values;
}

/** The 8-bit vectors of the chunks of an index, one after the other, and their lengths: 0 for chunks without one. */
export interface Vectors {
  readonly dimensions: number;
  readonly values: Int8Array;
  readonly norms: Float64Array;
}

/** Integers, so that the order of summation makes no difference. */
export function normOf(vector: Int8Array): number {
  return Math.sqrt(product(vector, 0, vector));
}

/** The cosine of each chunk's vector and the query's; NaN for chunks without one. */
export async function semanticScores(vectors: Vectors, query: Int8Array, turn: Turn): Promise<Float64Array> {
  const { dimensions, values, norms } = vectors;
  const scores = new Float64Array(norms.length).fill(Number.NaN);
  const queryNorm = normOf(query);
  let work = 0;
  for (let chunk = 0; chunk < norms.length; chunk += 1) {
    const norm = norms[chunk] as number;
    if (norm === 0) continue;
    scores[chunk] = queryNorm === 0 ? 0 : product(values, chunk * dimensions, query) / (norm * queryNorm);
    work += dimensions;
    if (work > bytesPerTurn) {
      work = 0;
      await turn();
    }
  }
  return scores;
}

/** The dot product of `query` and the part of `values` that starts at `start`. */
function product(values: Int8Array, start: number, query: Int8Array): number {
  let sum = 0;
  let other = 0;
  let at = 0;
  // Integers of 32 bits, and two sums: V8 and the processor are several times faster with them.
  for (; at + 1 < query.length; at += 2) {
    sum = (sum + Math.imul(values[start + at] as number, query[at] as number)) | 0;
    other = (other + Math.imul(values[start + at + 1] as number, query[at + 1] as number)) | 0;
  }
  if (at < query.length) sum += (values[start + at] as number) * (query[at] as number);
  return sum + other;
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
