import type { Box, Point } from './geometry.ts';

/** An edge from the right side of one step to the left side of another. */
export interface RoutedEdge {
  readonly from: Point;
  readonly to: Point;
  /** Edges of the same group lead to the same place, and may share their way there. */
  readonly group: number;
}

/** How far an edge goes straight before its first corner. */
const stub = 14;
/** The distance of lines that run side by side. */
const lane = 8;
/** No line comes closer to a step. */
const margin = 5;
const bendCost = 48;
/** For a line on top of another that leads elsewhere, by length. */
const sharedCost = 1.5;
/** More lanes take longer to search than they improve, by the number of steps. */
const lanesOf = (count: number) => (count > 90 ? 1 : count > 45 ? 2 : 3);

/** Right-angled edges around the steps, wherever the user has put them. Null for an edge that has no way around. */
export function createRouter(boxes: readonly Box[], edges: readonly RoutedEdge[]) {
  const grid = gridOf(boxes, edges);
  return (edge: RoutedEdge): readonly Point[] | null => {
    const found = search(grid, edge);
    if (found === null) return null;
    remember(grid, found, edge.group);
    return cornersOf([edge.from, ...found.map((at) => pointAt(grid, at)), edge.to]);
  };
}

interface Grid {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  readonly indexOfX: ReadonlyMap<number, number>;
  readonly indexOfY: ReadonlyMap<number, number>;
  /** Whether the way to the next point on the right, and below, is behind a step. */
  readonly isBlockedRight: Uint8Array;
  readonly isBlockedDown: Uint8Array;
  /** The group of the edge there, plus one. */
  readonly usedRight: Int32Array;
  readonly usedDown: Int32Array;
  /** The lowest cost that the current search has found so far, by state. */
  readonly costs: Float64Array;
  readonly before: Int32Array;
}

function gridOf(boxes: readonly Box[], edges: readonly RoutedEdge[]): Grid {
  const lanes = Array.from({ length: lanesOf(boxes.length) }, (_, index) => stub + index * lane);
  const xs = sorted([
    ...boxes.flatMap(({ x, width }) => lanes.flatMap((by) => [x - by, x + width + by])),
    ...edges.flatMap(({ from, to }) => [from.x + stub, to.x - stub]),
  ]);
  const ys = sorted([
    ...boxes.flatMap(({ y, height }) => lanes.flatMap((by) => [y - by, y + height + by])),
    ...edges.flatMap(({ from, to }) => [from.y, to.y]),
  ]);
  const isBlockedRight = new Uint8Array(xs.length * ys.length);
  const isBlockedDown = new Uint8Array(xs.length * ys.length);
  for (const { x, y, width, height } of boxes) {
    const [left, right] = [x - margin, x + width + margin];
    const [top, bottom] = [y - margin, y + height + margin];
    for (const [row, at] of ys.entries()) {
      const next = ys[row + 1] ?? at;
      if (next <= top || at >= bottom) continue;
      for (const [column, across] of xs.entries()) {
        const end = xs[column + 1] ?? across;
        if (end <= left || across >= right) continue;
        const place = row * xs.length + column;
        if (at > top && at < bottom) isBlockedRight[place] = 1;
        if (across > left && across < right) isBlockedDown[place] = 1;
      }
    }
  }
  return {
    xs,
    ys,
    indexOfX: new Map(xs.map((x, index) => [x, index])),
    indexOfY: new Map(ys.map((y, index) => [y, index])),
    isBlockedRight,
    isBlockedDown,
    usedRight: new Int32Array(xs.length * ys.length),
    usedDown: new Int32Array(xs.length * ys.length),
    costs: new Float64Array(xs.length * ys.length * 2),
    before: new Int32Array(xs.length * ys.length * 2),
  };
}

function sorted(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((one, other) => one - other);
}

function pointAt({ xs, ys }: Grid, place: number): Point {
  return { x: xs[place % xs.length] as number, y: ys[Math.floor(place / xs.length)] as number };
}

/** A*: the shortest way with few corners. A state is a point and whether it was reached sideways (0) or up or down (1). */
function search(grid: Grid, edge: RoutedEdge): readonly number[] | null {
  const { xs, ys, indexOfX, indexOfY, isBlockedRight, isBlockedDown, usedRight, usedDown, costs, before } = grid;
  const width = xs.length;
  const start = (indexOfY.get(edge.from.y) as number) * width + (indexOfX.get(edge.from.x + stub) as number);
  const goalColumn = indexOfX.get(edge.to.x - stub) as number;
  const goalRow = indexOfY.get(edge.to.y) as number;
  const goal = (goalRow * width + goalColumn) * 2;
  const [goalX, goalY] = [xs[goalColumn] as number, ys[goalRow] as number];
  const mark = edge.group + 1;
  const open = new Heap();
  costs.fill(Number.POSITIVE_INFINITY);
  before.fill(-1);
  let state: number | undefined = start * 2;
  let cost = 0;
  const visit = (column: number, row: number, axis: 0 | 1, segment: number, length: number) => {
    if ((axis === 0 ? isBlockedRight : isBlockedDown)[segment] === 1) return;
    const used = (axis === 0 ? usedRight : usedDown)[segment] as number;
    const isShared = used !== 0 && used !== mark;
    const bend = ((state as number) & 1) === axis ? 0 : bendCost;
    const total = cost + (isShared ? length * (1 + sharedCost) : length) + bend;
    const next = (row * width + column) * 2 + axis;
    if (total >= (costs[next] as number)) return;
    costs[next] = total;
    before[next] = state as number;
    const x = Math.abs((xs[column] as number) - goalX);
    const y = Math.abs((ys[row] as number) - goalY);
    // It ends sideways: at least so many corners are still to come.
    const bends = axis === 1 ? 1 : y === 0 ? 0 : 2;
    open.push(total + x + y + bends * bendCost, next);
  };
  costs[state] = 0;
  for (; state !== undefined; state = open.pop()) {
    if (state === goal) return wayTo(before, state);
    cost = costs[state] as number;
    const place: number = state >> 1;
    const column = place % width;
    const row = (place - column) / width;
    const [x, y] = [xs[column] as number, ys[row] as number];
    if (column > 0) visit(column - 1, row, 0, place - 1, x - (xs[column - 1] as number));
    if (column < width - 1) visit(column + 1, row, 0, place, (xs[column + 1] as number) - x);
    if (row > 0) visit(column, row - 1, 1, place - width, y - (ys[row - 1] as number));
    if (row < ys.length - 1) visit(column, row + 1, 1, place, (ys[row + 1] as number) - y);
  }
  return null;
}

function wayTo(before: Int32Array, end: number): number[] {
  const way: number[] = [];
  for (let state = end; state !== -1; state = before[state] as number) way.push(state >> 1);
  return way.reverse();
}

function remember({ xs, usedRight, usedDown }: Grid, way: readonly number[], group: number): void {
  for (const [index, place] of way.entries()) {
    const next = way[index + 1];
    if (next === undefined) continue;
    const isSideways = Math.abs(next - place) === 1 && Math.floor(next / xs.length) === Math.floor(place / xs.length);
    (isSideways ? usedRight : usedDown)[Math.min(place, next)] = group + 1;
  }
}

/** Without the points on a straight line. */
export function cornersOf(points: readonly Point[]): readonly Point[] {
  return points.filter((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (before === undefined || after === undefined) return true;
    const isStraight = (before.x === point.x && point.x === after.x) || (before.y === point.y && point.y === after.y);
    return !isStraight;
  });
}

/** The smallest first. */
class Heap {
  readonly #costs: number[] = [];
  readonly #states: number[] = [];

  push(cost: number, state: number): void {
    let at = this.#costs.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#costs[parent] as number;
      if (above <= cost) break;
      this.#put(at, above, this.#states[parent] as number);
      at = parent;
    }
    this.#put(at, cost, state);
  }

  pop(): number | undefined {
    const first = this.#states[0];
    const cost = this.#costs.pop();
    const state = this.#states.pop();
    if (cost !== undefined && state !== undefined && this.#costs.length > 0) this.#sink(cost, state);
    return first;
  }

  #sink(cost: number, state: number): void {
    const costs = this.#costs;
    let at = 0;
    for (let child = 1; child < costs.length; child = 2 * at + 1) {
      if (child + 1 < costs.length && (costs[child + 1] as number) < (costs[child] as number)) child += 1;
      const below = costs[child] as number;
      if (below >= cost) break;
      this.#put(at, below, this.#states[child] as number);
      at = child;
    }
    this.#put(at, cost, state);
  }

  #put(at: number, cost: number, state: number): void {
    this.#costs[at] = cost;
    this.#states[at] = state;
  }
}
