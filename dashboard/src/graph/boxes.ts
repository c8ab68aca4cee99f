/** A way from one box to another. */
export interface GraphWay {
  /** Where it is in what the box stands for: `next`, `otherwise` or `routes.2.next`. */
  readonly path: string;
  /** When it is taken. */
  readonly label: string;
  /** The position of the next box. Null: it leads to none. */
  readonly to: number | null;
  /** Whether it still has to lead somewhere. */
  readonly isOpen: boolean;
}

/** One box of a graph: a step of a workflow. */
export interface GraphBox {
  readonly kind: string;
  readonly title: string;
  readonly id: string;
  readonly text: string;
  readonly badge: string | null;
  readonly isActive: boolean;
  readonly problems: number;
  /** For screen readers. */
  readonly label: string;
  /** Drawn as lines of the box, each with its own end. */
  readonly ways: readonly GraphWay[];
  /** Drawn from the bottom of the box. */
  readonly following?: GraphWay | undefined;
  /** Nothing leads to it. */
  readonly isRoot?: boolean;
}
