/** In milliseconds, each about a third larger than the previous, so the error of a quantile is below a third. */
const bounds: readonly number[] = [
  0.5, 0.7, 1, 1.4, 2, 3, 4, 6, 8, 11, 15, 20, 28, 40, 55, 75, 100, 140, 200, 280, 400, 550, 750, 1000, 1400, 2000,
  2800, 4000, 5500, 7500, 10_000, 14_000, 20_000, 30_000,
];

export const buckets = bounds.length + 1;

export function bucketOf(durationMs: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (durationMs <= (bounds[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The latency that this share of requests did not exceed; null if there are none. */
export function quantile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let before = 0;
  for (let bucket = 0; bucket < counts.length; bucket += 1) {
    const count = counts[bucket] as number;
    if (count > 0 && before + count >= wanted) {
      const start = bucket === 0 ? 0 : (bounds[bucket - 1] as number);
      const end = bounds[bucket] ?? start;
      // Assumes an even distribution within the bucket.
      return Math.round((start + ((wanted - before) / count) * (end - start)) * 100) / 100;
    }
    before += count;
  }
  return bounds.at(-1) as number;
}
