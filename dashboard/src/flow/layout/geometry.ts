export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A step on the canvas. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** What the layout knows of a step: how many routes it has, and where they lead. */
export interface LayoutNode {
  readonly ways: readonly {
    readonly path: string;
    /** The position of the next step. Null: it leads to none. */
    readonly to: number | null;
  }[];
}

export interface LayoutRequest {
  readonly nodes: readonly LayoutNode[];
  /** The position of the step that a call starts with. */
  readonly start: number;
  /** Where the user has put the steps; null for those that have no place yet. */
  readonly places: readonly (Point | null)[];
}

export interface Layout {
  /** By position of the step. */
  readonly places: readonly Point[];
  /** The corners of each edge, by its id. */
  readonly edges: Readonly<Record<string, readonly Point[]>>;
}

export const nodeWidth = 216;
export const headHeight = 34;
export const textHeight = 42;
export const wayHeight = 26;
/** Where the ways into a step end, from its top. */
export const targetTop = 17;

export function nodeHeight(wayCount: number): number {
  return headHeight + textHeight + wayCount * wayHeight;
}

/** The middle of the line of a route, from the top of its step. */
export function wayTop(index: number): number {
  return headHeight + textHeight + (index + 0.5) * wayHeight;
}

export function edgeId(position: number, path: string): string {
  return `${position} ${path}`;
}

export function boxesOf(nodes: readonly LayoutNode[], places: readonly Point[]): readonly Box[] {
  return nodes.map(({ ways }, position) => ({
    ...(places[position] ?? { x: 0, y: 0 }),
    width: nodeWidth,
    height: nodeHeight(ways.length),
  }));
}

/** What contains all boxes. */
export function boundsOf(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
}

/** Whether a horizontal or vertical line passes through a box, not just along its border. */
export function crosses(from: Point, to: Point, box: Box): boolean {
  return (
    Math.max(from.x, to.x) > box.x + 1 &&
    Math.min(from.x, to.x) < box.x + box.width - 1 &&
    Math.max(from.y, to.y) > box.y + 1 &&
    Math.min(from.y, to.y) < box.y + box.height - 1
  );
}

export function passesBehind(points: readonly Point[], boxes: readonly Box[]): boolean {
  return points.some((point, index) => {
    const next = points[index + 1];
    return next !== undefined && boxes.some((box) => crosses(point, next, box));
  });
}
