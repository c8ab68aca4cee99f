import {
  type Box,
  boxesOf,
  edgeId,
  type Layout,
  type LayoutNode,
  type LayoutRequest,
  nodeHeight,
  nodeWidth,
  type Point,
  passesBehind,
  targetTop,
  wayTop,
} from './geometry.ts';
import { createRouter, type RoutedEdge } from './router.ts';

const columnGap = 88;
const rowGap = 36;

/** The layout with the steps where the user has put them. Those without a place get one next to what leads to them. */
export function placedLayout({ nodes, places }: LayoutRequest, earlier: Layout['edges'] = {}): Layout {
  const all = withMissing(nodes, places);
  const boxes = boxesOf(nodes, all);
  const wanted = nodes.flatMap(({ ways }, position) =>
    ways.flatMap(({ path, to }, index): (readonly [string, RoutedEdge])[] => {
      const target = to === null ? undefined : all[to];
      const source = all[position];
      if (to === null || target === undefined || source === undefined) return [];
      const from = { x: source.x + nodeWidth, y: source.y + wayTop(index) };
      return [[edgeId(position, path), { from, to: { x: target.x, y: target.y + targetTop }, group: to }]];
    }),
  );
  const route = createRouter(
    boxes,
    wanted.map(([, edge]) => edge),
  );
  const edges = wanted.map(([id, edge]) => {
    const kept = stillGood(earlier[id], edge, boxes);
    return [id, kept ?? route(edge) ?? straight(edge)] as const;
  });
  return { places: all, edges: Object.fromEntries(edges) };
}

/** What was not affected by an edit stays as it was. */
function stillGood(points: readonly Point[] | undefined, { from, to }: RoutedEdge, boxes: readonly Box[]) {
  const [first, last] = [points?.[0], points?.at(-1)];
  if (points === undefined || first?.x !== from.x || first.y !== from.y) return undefined;
  return last?.x === to.x && last.y === to.y && !passesBehind(points, boxes) ? points : undefined;
}

/** For steps on top of each other, between which no way can be seen. */
function straight({ from, to }: RoutedEdge): readonly Point[] {
  const middle = (from.x + to.x) / 2;
  return [from, { x: middle, y: from.y }, { x: middle, y: to.y }, to];
}

function withMissing(nodes: readonly LayoutNode[], places: readonly (Point | null)[]): readonly Point[] {
  const all: (Point | null)[] = [...places];
  const taken = (): Box[] =>
    nodes.flatMap(({ ways }, position) => {
      const place = all[position];
      return place == null ? [] : [{ ...place, width: nodeWidth, height: nodeHeight(ways.length) }];
    });
  for (const [position, node] of nodes.entries()) {
    if (all[position] != null) continue;
    const source = nodes.findIndex(({ ways }, index) => all[index] != null && ways.some(({ to }) => to === position));
    const near = all[source];
    const wanted = near == null ? below(taken()) : { x: near.x + nodeWidth + columnGap, y: near.y };
    all[position] = freePlace(wanted, nodeHeight(node.ways.length), taken());
  }
  return all as Point[];
}

function below(boxes: readonly Box[]): Point {
  if (boxes.length === 0) return { x: 0, y: 0 };
  return {
    x: Math.min(...boxes.map(({ x }) => x)),
    y: Math.max(...boxes.map(({ y, height }) => y + height)) + rowGap,
  };
}

/** The first place from there downwards that no step has. */
export function freePlace({ x, y }: Point, height: number, boxes: readonly Box[]): Point {
  let top = y;
  const isInTheWay = (box: Box) =>
    box.x < x + nodeWidth + 16 &&
    box.x + box.width + 16 > x &&
    box.y < top + height + 16 &&
    box.y + box.height + 16 > top;
  for (let other = boxes.find(isInTheWay); other !== undefined; other = boxes.find(isInTheWay)) {
    top = other.y + other.height + rowGap;
  }
  return { x, y: top };
}
