import type { AnalyticsQuery } from '../../../contract/analytics/query.ts';
import type { Reader } from '../../../storage/database.ts';
import { type CallMatcher, callMatcher, type FieldReader } from './field-values.ts';
import { Frequencies, type Groups, type GroupValue } from './groups.ts';
import type { Budget } from './job.ts';
import type { Plan, Series } from './plan.ts';
import type { Buckets, Offset, TimeRange } from './ranges.ts';
import { type Batch, FactScan } from './scan.ts';

export interface PassParts {
  readonly reader: Reader;
  readonly workspaceId: string;
  readonly query: AnalyticsQuery;
  readonly offsets: readonly Offset[];
  readonly budget: Budget;
}

/** What one pass over a range has collected. */
export interface Pass {
  readonly series: ReadonlyMap<string, Series>;
  /** How many calls each cell has. */
  readonly calls: Float64Array;
  readonly total: number;
}

/**
 * Collects what the plan needs of the calls in these buckets. A cell is a bucket of a group; the cells of a group are side
 * by side, `cellsPerGroup` of them.
 */
export async function collect(
  parts: PassParts,
  plan: Plan,
  { buckets, groups, dimensions, cellsPerGroup, isFixed, currenciesOf }: CollectOptions,
): Promise<Pass> {
  const { scan, matcher } = scanOf(parts, [...plan.columns, ...dimensions.flatMap(({ columns }) => columns)], plan);
  const series = new Map(
    [...plan.series].map(([key, each]) => [key, each.create(parts.budget, each.aggregates)] as const),
  );
  let calls = new Float64Array(cellsPerGroup);
  let total = 0;
  for await (const batch of scan.batches(buckets)) {
    const matches = matcher?.match(batch);
    const groupOf = groups.of(batch, dimensions, isFixed);
    const bucketOf = bucketsOf(batch, buckets);
    const cells = new Int32Array(batch.count).fill(-1);
    for (let row = 0; row < batch.count; row += 1) {
      if (matches !== undefined && !matches(row)) continue;
      total += 1;
      const group = groupOf(row);
      const bucket = bucketOf(row);
      if (group >= 0 && bucket < cellsPerGroup) cells[row] = group * cellsPerGroup + bucket;
    }
    const cellCount = groups.count * cellsPerGroup;
    if (calls.length < cellCount) {
      const larger = new Float64Array(Math.max(cellCount, 2 * calls.length));
      larger.set(calls);
      calls = larger;
    }
    for (const cell of cells) if (cell >= 0) (calls[cell] as number) += 1;
    const filtered = plan.filters.map((filter) => filteredCells(batch, cells, filter));
    for (const [key, { filter }] of plan.series) {
      const own = filter === null ? cells : (filtered[filter] as Int32Array);
      (series.get(key) as Series).add(batch, own, cellCount);
    }
    for (const filter of plan.costFilters) {
      addCurrencies(batch, filter === null ? cells : (filtered[filter] as Int32Array), currenciesOf(filter));
    }
  }
  return { series, calls, total };
}

interface CollectOptions {
  readonly buckets: Buckets;
  readonly groups: Groups;
  readonly dimensions: readonly FieldReader[];
  readonly cellsPerGroup: number;
  /** No groups are added. */
  readonly isFixed: boolean;
  /** Collects the currencies of the costs that are summed up with this filter of a metric. */
  readonly currenciesOf: (filter: number | null) => Set<string>;
}

/** For each dimension, the most frequent values if there are too many. */
export async function frequentValues(
  parts: PassParts,
  range: TimeRange,
  dimensions: readonly FieldReader[],
): Promise<(ReadonlySet<GroupValue> | undefined)[]> {
  const { scan, matcher } = scanOf(
    parts,
    dimensions.flatMap(({ columns }) => columns),
  );
  const counts = dimensions.map(() => new Frequencies(parts.budget));
  for await (const batch of scan.batches(range)) {
    const matches = matcher?.match(batch);
    const reads = dimensions.map((dimension) => dimension.read(batch));
    for (let row = 0; row < batch.count; row += 1) {
      if (matches !== undefined && !matches(row)) continue;
      for (const [place, read] of reads.entries()) counts[place]?.add(read(row));
    }
  }
  return counts.map((each) => each.mostFrequent());
}

function scanOf(
  { reader, workspaceId, query: { filter, includeDrafts }, offsets, budget }: PassParts,
  columns: readonly string[],
  { stages = [] }: Partial<Pick<Plan, 'stages'>> = {},
): { scan: FactScan; matcher: CallMatcher | undefined } {
  const matcher = filter === undefined ? undefined : callMatcher(filter, offsets);
  const request = { workspaceId, filter, includeDrafts, stages, columns: ['created_at', ...columns] };
  const simple = new FactScan(reader, request, budget);
  if (matcher === undefined || simple.isExact) return { scan: simple, matcher: undefined };
  const whole = { ...request, columns: [...request.columns, ...matcher.columns] };
  return { scan: new FactScan(reader, whole, budget), matcher };
}

/** The bucket of each call, in order. */
function bucketsOf(batch: Batch, { starts }: Buckets): (row: number) => number {
  const times = batch.numbers('created_at');
  let bucket = 0;
  return (row) => {
    const time = times[row] as number;
    while (bucket + 1 < starts.length && time >= (starts[bucket + 1] as number)) bucket += 1;
    return bucket;
  };
}

function filteredCells(batch: Batch, cells: Int32Array, filter: CallMatcher): Int32Array {
  const matches = filter.match(batch);
  return cells.map((cell, row) => (cell >= 0 && matches(row) ? cell : -1));
}

function addCurrencies(batch: Batch, cells: Int32Array, currencies: Set<string>): void {
  const [names, costs] = [batch.column('currency'), batch.column('cost_micros')];
  for (let row = 0; row < cells.length; row += 1) {
    if ((cells[row] as number) >= 0 && costs[row] !== null) currencies.add(names[row] as string);
  }
}
