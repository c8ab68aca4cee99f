import type { ReactNode } from 'react';

export interface Column<Item> {
  readonly id: string;
  readonly title: string;
  /** Plain elements: it is called for every cell of every row that comes into sight. A link is an `a` with an address. */
  readonly cell: (item: Item) => ReactNode;
  /** What is told to whoever points at the cell: all of a text that may be cut off, or more than there is room for. */
  readonly hint?: (item: Item) => string | null;
}
