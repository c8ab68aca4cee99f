import type { ReactNode } from 'react';

export interface Column<Item> {
  readonly id: string;
  readonly title: ReactNode;
  /** Must return plain elements, because it is called for every visible cell. A link is an `a` with an `href`. */
  readonly cell: (item: Item) => ReactNode;
  /** The tooltip of the cell, such as the full text if it may be truncated. */
  readonly hint?: (item: Item) => string | null;
}
