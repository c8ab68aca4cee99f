import { type NodeHandle, Position } from '@xyflow/react';
import { nodeHeight, nodeWidth, targetTop, wayTop } from '../layout/geometry.ts';
import type { NamedProblem } from '../problem-names.ts';

/** A route as a line of its step. */
export interface CanvasWay {
  readonly path: string;
  /** When it is taken. */
  readonly label: string;
  /** The position of the next step. Null: it leads to none. */
  readonly to: number | null;
  /** What is wrong with it. */
  readonly problem: string | null;
  /** How often simulations took it. Null: nothing was simulated. */
  readonly taken: number | null;
}

/** A step as a box of the canvas. */
export interface CanvasStep {
  readonly type: string;
  readonly typeName: string;
  readonly id: string;
  readonly text: string;
  readonly badge: string | null;
  /** Where a call, or a simulation that is watched, is. */
  readonly isActive: boolean;
  readonly problems: readonly NamedProblem[];
  /** For screen readers. */
  readonly label: string;
  readonly ways: readonly CanvasWay[];
}

const handleSize = 12;

/** Where the ends of the edges are, as in the style. Without it, edges vanish with every change until measured again. */
export function handlesOf({ ways }: CanvasStep): NodeHandle[] {
  const at = (x: number, y: number) => ({
    x: x - handleSize / 2,
    y: y - handleSize / 2,
    width: handleSize,
    height: handleSize,
  });
  return [
    { type: 'target', position: Position.Left, ...at(0, targetTop) },
    ...ways.map(({ path }, index) => ({
      id: path,
      type: 'source' as const,
      position: Position.Right,
      ...at(nodeWidth, wayTop(index)),
    })),
  ];
}

export function sizeOf({ ways }: CanvasStep) {
  return { width: nodeWidth, height: nodeHeight(ways.length) };
}
