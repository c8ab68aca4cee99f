import type { ReactNode } from 'react';
import type { ChartKind, Query } from '../../analytics/query.ts';

/** A chart of the page. */
export interface Figure {
  readonly title: string;
  /** What it shows, precisely. */
  readonly about: string;
  /** What to do if there is nothing to show. */
  readonly none: ReactNode;
  readonly query: Query;
  readonly chart: ChartKind;
  readonly isWide?: boolean;
}
