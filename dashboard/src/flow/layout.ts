import { graphlib, layout } from '@dagrejs/dagre';
import { type NodeHandle, Position } from '@xyflow/react';
import { type Flow, type Way, waysOf } from './flow.ts';

export const nodeWidth = 184;
const headHeight = 62;
const wayHeight = 24;
const handleSize = 10;
/** Where the way into a node ends, from its top. */
const targetTop = 14;
/** The border of the node, and of each way. */
const borderWidth = 1;

export interface Placed {
  readonly x: number;
  readonly y: number;
}

export function nodeHeight(ways: number): number {
  return headHeight + ways * wayHeight;
}

/** Where the ends of the edges are, as in the style. Without it, edges vanish with every change until measured again. */
export function handlesOf(ways: readonly Way[]): NodeHandle[] {
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
      ...at(nodeWidth - borderWidth, 1.5 * borderWidth + headHeight + (index + 0.5) * wayHeight),
    })),
  ];
}

/** From left to right, by position of the skill. */
export function placesOf(flow: Flow): readonly Placed[] {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 20, ranksep: 40 });
  graph.setDefaultEdgeLabel(() => ({}));
  const positions = new Map(flow.skills.map(({ id }, position) => [id, position]));
  for (const [position, skill] of flow.skills.entries()) {
    graph.setNode(String(position), { width: nodeWidth, height: nodeHeight(waysOf(skill).length) });
  }
  for (const [position, skill] of flow.skills.entries()) {
    for (const { path, to } of waysOf(skill)) {
      const target = positions.get(to);
      if (target !== undefined) graph.setEdge(String(position), String(target), {}, path);
    }
  }
  layout(graph);
  return flow.skills.map((skill, position) => {
    const { x, y } = graph.node(String(position)) as Placed;
    return { x: x - nodeWidth / 2, y: y - nodeHeight(waysOf(skill).length) / 2 };
  });
}
