/**
 * A vector with 8 bits per dimension, in proportion to its largest value: cosines do not depend on the length. The same
 * numbers always give the same bytes. Null if the vector has no direction.
 */
export function quantize(vector: readonly number[]): Int8Array | null {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  // NaN, if a value is.
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) return null;
  return Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
}
