import { BaseEdge, type Edge, type EdgeProps, getSmoothStepPath } from '@xyflow/react';
import type { Point } from '../layout/geometry.ts';
import { roundedPath } from './rounded-path.ts';

export interface RouteData extends Record<string, unknown> {
  /** Around the steps. Undefined: not known yet. */
  readonly points: readonly Point[] | undefined;
}

export type RouteEdgeType = Edge<RouteData, 'route'>;

/** A route along the corners that the layout has found. While one of its steps is dragged, the way follows it. */
export function RouteEdge(props: EdgeProps<RouteEdgeType>) {
  const { id, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, data, markerEnd } = props;
  const points = data?.points;
  const [first, last] = [points?.[0], points?.at(-1)];
  const isThere = isNear(first, { x: sourceX, y: sourceY }) && isNear(last, { x: targetX, y: targetY });
  const ends = { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition };
  const path =
    points !== undefined && isThere
      ? roundedPath([...points.slice(0, -1), { x: targetX, y: targetY }])
      : getSmoothStepPath(ends)[0];
  return <BaseEdge id={id} path={path} interactionWidth={16} {...(markerEnd !== undefined && { markerEnd })} />;
}

/** The ends of an edge are at the outer side of the dots. */
function isNear(point: Point | undefined, other: Point): boolean {
  return point !== undefined && Math.abs(point.x - other.x) <= 8 && Math.abs(point.y - other.y) <= 2;
}
