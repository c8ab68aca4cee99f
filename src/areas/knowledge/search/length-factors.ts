/** The parameters of BM25. */
const k1 = 1.2;
const b = 0.75;
/** The limit of tf′ as a term occurs more often. */
export const maxFrequencyFactor = k1 + 1;

/**
 * What the length of each chunk does to its scores. Kept with an index: computing it for each search took a tenth of its
 * time, and made as much garbage as the scores.
 */
export interface LengthFactors {
  /** What is added to the frequency in the denominator of tf′. A term counts less in a chunk that is longer than others. */
  readonly normalization: Float64Array;
  /** tf′ of a term that occurs once, as most do. */
  readonly single: Float64Array;
}

export function lengthFactors(lengths: Uint32Array, totalLength: number): LengthFactors {
  const meanLength = totalLength / lengths.length;
  const normalization = new Float64Array(lengths.length);
  for (let chunk = 0; chunk < lengths.length; chunk += 1) {
    normalization[chunk] = k1 * (1 - b + (b * (lengths[chunk] as number)) / meanLength);
  }
  return { normalization, single: normalization.map((value) => maxFrequencyFactor / (1 + value)) };
}
