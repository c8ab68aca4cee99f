import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import {
  edgeId,
  type Layout,
  type LayoutRequest,
  nodeHeight,
  nodeWidth,
  type Point,
  targetTop,
  wayTop,
} from './geometry.ts';

/** From left to right, in the order of the list where the routes leave a choice, so that small edits change little. */
const options: Readonly<Record<string, string>> = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.spacing.nodeNode': '20',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '9',
  'elk.layered.spacing.nodeNodeBetweenLayers': '44',
  'elk.layered.spacing.edgeNodeBetweenLayers': '18',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '9',
  'elk.layered.considerModelOrder.strategy': 'PREFER_EDGES',
  'elk.layered.cycleBreaking.strategy': 'GREEDY_MODEL_ORDER',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.separateConnectedComponents': 'true',
  'elk.spacing.componentComponent': '48',
  'elk.padding': '[top=0,left=0,bottom=0,right=0]',
};

export function elkGraphOf({ nodes, start }: LayoutRequest): ElkNode {
  const edges: ElkExtendedEdge[] = [];
  for (const [position, { ways }] of nodes.entries()) {
    for (const { path, to } of ways) {
      if (to === null) continue;
      edges.push({ id: edgeId(position, path), sources: [portId(position, path)], targets: [portId(to, '')] });
    }
  }
  const children = nodes.map(({ ways }, position) => ({
    id: String(position),
    width: nodeWidth,
    height: nodeHeight(ways.length),
    layoutOptions: {
      'elk.portConstraints': 'FIXED_POS',
      ...(position === start && { 'elk.layered.layering.layerConstraint': 'FIRST' }),
    },
    ports: [
      port(portId(position, ''), 'WEST', { x: 0, y: targetTop }),
      ...ways.map(({ path }, index) => port(portId(position, path), 'EAST', { x: nodeWidth, y: wayTop(index) })),
    ],
  }));
  return { id: 'flow', layoutOptions: { ...options }, children, edges };
}

function portId(position: number, path: string): string {
  return `${position}:${path}`;
}

function port(id: string, side: 'EAST' | 'WEST', { x, y }: Point) {
  return { id, width: 0, height: 0, x, y, layoutOptions: { 'elk.port.side': side } };
}

export function layoutOf({ children = [], edges = [] }: ElkNode): Layout {
  const places = children.map(({ x = 0, y = 0 }) => ({ x: Math.round(x), y: Math.round(y) }));
  const corners = edges.flatMap(({ id, sections }) => {
    const section = sections?.[0];
    return section === undefined
      ? []
      : [[id, [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]] as const];
  });
  return { places, edges: Object.fromEntries(corners) };
}
