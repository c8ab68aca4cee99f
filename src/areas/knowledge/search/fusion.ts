/** The usual constant of reciprocal rank fusion: how much the first ranks differ. */
const k = 60;
/** How many of each order are considered. */
export const rankedChunks = 50;
/** Makes the score of a chunk that is first in both orders 1. */
const scale = (k + 1) / 2;

/** Reciprocal rank fusion: the score of each chunk that is in one of the orders, by its places in them. */
export function fusedScores(orders: readonly (readonly number[])[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const order of orders) {
    for (const [place, chunk] of order.entries()) sums.set(chunk, (sums.get(chunk) ?? 0) + 1 / (k + place + 1));
  }
  return new Map([...sums].map(([chunk, sum]) => [chunk, sum * scale]));
}
