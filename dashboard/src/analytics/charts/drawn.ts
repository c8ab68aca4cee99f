import type { BucketFormat } from '../bucket-format.ts';
import type { Query } from '../query.ts';
import type { Line, Table } from '../table.ts';
import type { Labels } from '../use-labels.ts';
import type { ValueFormat } from '../value-format.ts';

/** What is drawn, and how it is worded. */
export interface Drawn {
  readonly title: string;
  readonly query: Query;
  readonly table: Table;
  readonly isBar: boolean;
  readonly labels: Labels;
  readonly buckets: BucketFormat;
  readonly values: ValueFormat;
  readonly currency: string | null;
  /** The address of the calls behind a point; undefined if they cannot be listed. */
  readonly hrefOf: (place: number, line?: Line) => string | undefined;
  readonly onOpen: (place: number, line?: Line) => void;
  readonly onTap: (place: number) => void;
}

/** The name of a line beside the others. */
export function lineLabel({ query, labels }: Pick<Drawn, 'query' | 'labels'>, { entry, group }: Line): string {
  const { metrics } = query;
  const ofGroup = labels.group(group);
  if (ofGroup === '') return labels.metricAmong(entry, metrics);
  return metrics.length === 1 ? ofGroup : `${ofGroup} · ${labels.metricAmong(entry, metrics)}`;
}
