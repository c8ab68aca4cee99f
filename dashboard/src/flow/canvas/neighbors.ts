import type { Point } from '../layout/geometry.ts';

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

export const directions: Readonly<Record<Direction, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

export function isDirection(key: string): key is Direction {
  return Object.hasOwn(directions, key);
}

/** The nearest step in a direction: what is far to the side counts as farther away. Null: there is none. */
export function neighborOf(places: readonly (Point | null)[], position: number, direction: Direction): number | null {
  const from = places[position];
  if (from == null) return null;
  const { x, y } = directions[direction];
  let nearest: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, place] of places.entries()) {
    if (place === null || index === position) continue;
    const [dx, dy] = [place.x - from.x, place.y - from.y];
    const ahead = dx * x + dy * y;
    const aside = Math.abs(dx * y) + Math.abs(dy * x);
    if (ahead <= 0) continue;
    // What is far more to the side than ahead comes only if there is nothing else.
    const far = ahead + 2 * aside + (aside > 2 * ahead ? 100_000 : 0);
    if (far >= least) continue;
    least = far;
    nearest = index;
  }
  return nearest;
}
