import { type NodeHandle, Position } from '@xyflow/react';
import type { GraphBox, GraphWay } from './boxes.ts';

export const nodeWidth = 248;
const headHeight = 62;
const wayHeight = 24;
const handleSize = 10;
/** The border of the node, and of each way. */
const borderWidth = 1;

export interface Placed {
  readonly x: number;
  readonly y: number;
}

export function nodeHeight({ ways }: GraphBox): number {
  return headHeight + ways.length * wayHeight;
}

/** Where the ends of the edges are, as in the style. Without it, edges vanish with every change until measured again. */
export function handlesOf(box: GraphBox): NodeHandle[] {
  const at = (x: number, y: number) => ({
    x: x - handleSize / 2,
    y: y - handleSize / 2,
    width: handleSize,
    height: handleSize,
  });
  const { following } = box;
  return [
    { type: 'target', position: Position.Top, ...at(nodeWidth / 2, 0) },
    ...box.ways.map(({ path }, index) => ({
      id: path,
      type: 'source' as const,
      position: Position.Right,
      ...at(nodeWidth - borderWidth, 1.5 * borderWidth + headHeight + (index + 0.5) * wayHeight),
    })),
    ...(following === undefined
      ? []
      : [
          {
            id: following.path,
            type: 'source' as const,
            position: Position.Bottom,
            ...at(nodeWidth / 2, nodeHeight(box)),
          },
        ]),
  ];
}

const columnGap = 56;
const rowGap = 44;

/**
 * By position of the box. Every way leads to a later box. What just follows stays in the column, and other ways lead to the right, where they
 * start, so that no line crosses a box.
 */
export function placesOf(boxes: readonly GraphBox[]): readonly Placed[] {
  const tops = boxes.map(() => 0);
  const columns: (number | null)[] = boxes.map(() => null);
  /** The end of the last box of each column. */
  const bottoms: number[] = [];
  const free = (column: number, top: number) => (bottoms[column] ?? 0) <= top;
  for (const [position, box] of boxes.entries()) {
    let column = columns[position] ?? 0;
    const top = tops[position] ?? 0;
    while (!free(column, top)) column += 1;
    columns[position] = column;
    const bottom = top + nodeHeight(box) + rowGap;
    bottoms[column] = bottom;
    const [main, ...others] = waysByWeight(box);
    const lead = (to: number | null | undefined, wanted: number) => {
      if (to === null || to === undefined) return;
      tops[to] = Math.max(tops[to] ?? 0, bottom);
      columns[to] = Math.min(columns[to] ?? wanted, wanted);
    };
    lead(main?.to, column);
    for (const { to } of others) lead(to, column + 1);
  }
  return boxes.map((_, position) => ({
    x: (columns[position] ?? 0) * (nodeWidth + columnGap),
    y: tops[position] ?? 0,
  }));
}

/** What follows, or what is done if no other way is taken, comes first. */
function waysByWeight({ ways, following }: GraphBox): readonly GraphWay[] {
  if (following !== undefined) return [following, ...ways];
  return ways.toSorted((one, other) => Number(other.path === 'otherwise') - Number(one.path === 'otherwise'));
}
