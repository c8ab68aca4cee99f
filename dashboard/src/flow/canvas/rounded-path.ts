import type { Point } from '../layout/geometry.ts';

const cornerRadius = 7;

/** Right angles with round corners. */
export function roundedPath(points: readonly Point[]): string {
  const [start] = points;
  if (start === undefined) return '';
  const parts = points.slice(1).map((point, index) => {
    const before = points[index] as Point;
    const after = points[index + 2];
    if (after === undefined) return `L${point.x} ${point.y}`;
    const radius = Math.min(cornerRadius, distance(before, point) / 2, distance(point, after) / 2);
    const from = towards(point, before, radius);
    const to = towards(point, after, radius);
    return `L${from.x} ${from.y}Q${point.x} ${point.y} ${to.x} ${to.y}`;
  });
  return `M${start.x} ${start.y}${parts.join('')}`;
}

function distance(one: Point, other: Point): number {
  return Math.abs(one.x - other.x) + Math.abs(one.y - other.y);
}

function towards(from: Point, to: Point, by: number): Point {
  const length = distance(from, to) || 1;
  return { x: from.x + ((to.x - from.x) * by) / length, y: from.y + ((to.y - from.y) * by) / length };
}
