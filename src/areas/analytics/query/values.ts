import type { Aggregate } from '../../../contract/analytics/metrics.ts';
import type { Budget } from './job.ts';

type Numbers = Float64Array | Int32Array;

/** Values of the calls of a step. `cells`: where each call counts, -1 for nowhere. */
interface Chunk {
  readonly values: Numbers;
  readonly cells: Int32Array;
  /** How many values each call has. Null: one. */
  readonly turns: Float64Array | null;
}

const percents: Partial<Record<Aggregate, number>> = { p50: 50, p75: 75, p90: 90, p95: 95, p99: 99 };

function isPercentile(aggregate: Aggregate): boolean {
  return percents[aggregate] !== undefined;
}

/**
 * Numbers by cell. There is a cell for each bucket of each group; the cells of a group are side by side. Percentiles are
 * exact, so every value is kept if one is requested.
 */
export class CellValues {
  readonly #budget: Budget;
  readonly #keepsValues: boolean;
  readonly #sumsUp: boolean;
  readonly #chunks: Chunk[] = [];
  #counts = new Float64Array(64);
  #sums = new Float64Array(64);
  /** What the sums have lost to rounding, so that they do not depend on the order of the calls. */
  #losses = new Float64Array(64);
  #mins = new Float64Array(64).fill(Number.POSITIVE_INFINITY);
  #maxs = new Float64Array(64).fill(Number.NEGATIVE_INFINITY);
  #sorted: SortedValues | undefined;

  /** `aggregates`: those that the query requests. */
  constructor(budget: Budget, aggregates: ReadonlySet<Aggregate>) {
    this.#budget = budget;
    this.#keepsValues = [...aggregates].some(isPercentile);
    this.#sumsUp = [...aggregates].some((each) => each !== 'count' && !isPercentile(each));
  }

  /** One value for each call; NaN for none. */
  addOfCalls(values: Float64Array, cells: Int32Array, cellCount: number): void {
    this.#grow(cellCount);
    for (let row = 0; row < cells.length; row += 1) {
      const [cell, value] = [cells[row] as number, values[row] as number];
      if (cell >= 0 && !Number.isNaN(value)) this.#add(cell, value);
    }
    this.#keep({ values, cells, turns: null });
  }

  /** Several values for each call, call by call; negative for none. */
  addOfTurns(values: Int32Array, turns: Float64Array, cells: Int32Array, cellCount: number): void {
    this.#grow(cellCount);
    let place = 0;
    for (let row = 0; row < cells.length; row += 1) {
      const cell = cells[row] as number;
      const end = place + (turns[row] as number);
      if (cell >= 0) {
        for (let index = place; index < end; index += 1) {
          const value = values[index] as number;
          if (value >= 0) this.#add(cell, value);
        }
      }
      place = end;
    }
    this.#keep({ values, cells, turns });
  }

  /** The value over the cells from `first` up to `end`. Null if they have none; the count and the sum are then 0. */
  aggregate(aggregate: Aggregate, first: number, end: number): number | null {
    let [count, sum, loss] = [0, 0, 0];
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let cell = first; cell < Math.min(end, this.#counts.length); cell += 1) {
      count += this.#counts[cell] as number;
      sum += this.#sums[cell] as number;
      loss += this.#losses[cell] as number;
      min = Math.min(min, this.#mins[cell] as number);
      max = Math.max(max, this.#maxs[cell] as number);
    }
    if (aggregate === 'count') return count;
    if (aggregate === 'sum') return sum + loss;
    if (count === 0) return null;
    switch (aggregate) {
      case 'avg':
        return rounded((sum + loss) / count);
      case 'min':
        return min;
      case 'max':
        return max;
      default:
        return this.#percentile(percents[aggregate] as number, first, end);
    }
  }

  #percentile(percent: number, first: number, end: number): number | null {
    this.#sorted ??= new SortedValues(this.#chunks, this.#counts);
    return this.#sorted.percentile(percent, first, end);
  }

  #add(cell: number, value: number): void {
    (this.#counts[cell] as number) += 1;
    if (this.#sumsUp) this.#sumUp(cell, value);
  }

  #sumUp(cell: number, value: number): void {
    const sum = this.#sums[cell] as number;
    const next = sum + value;
    // Neumaier's summation. Whole numbers lose nothing.
    (this.#losses[cell] as number) += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    this.#sums[cell] = next;
    if (value < (this.#mins[cell] as number)) this.#mins[cell] = value;
    if (value > (this.#maxs[cell] as number)) this.#maxs[cell] = value;
  }

  #keep(chunk: Chunk): void {
    if (!this.#keepsValues) return;
    // Twice, because the values are copied once, in the order of the cells.
    this.#budget.take(2 * chunk.values.byteLength + chunk.cells.byteLength);
    this.#chunks.push(chunk);
  }

  #grow(cells: number): void {
    if (cells <= this.#counts.length) return;
    const size = Math.max(cells, 2 * this.#counts.length);
    this.#counts = grown(this.#counts, size, 0);
    this.#sums = grown(this.#sums, size, 0);
    this.#losses = grown(this.#losses, size, 0);
    this.#mins = grown(this.#mins, size, Number.POSITIVE_INFINITY);
    this.#maxs = grown(this.#maxs, size, Number.NEGATIVE_INFINITY);
  }
}

function grown(array: Float64Array<ArrayBuffer>, size: number, filling: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(size).fill(filling);
  larger.set(array);
  return larger;
}

/** All values in the order of the cells. Those of a cell are sorted when they are needed. */
class SortedValues {
  readonly #values: Numbers;
  /** Where each cell begins, and the last one ends. */
  readonly #starts: Float64Array;
  readonly #isSorted: Uint8Array;

  constructor(chunks: readonly Chunk[], counts: Float64Array) {
    this.#starts = new Float64Array(counts.length + 1);
    for (let cell = 0; cell < counts.length; cell += 1) {
      this.#starts[cell + 1] = (this.#starts[cell] as number) + (counts[cell] as number);
    }
    this.#isSorted = new Uint8Array(counts.length);
    const total = this.#starts.at(-1) as number;
    this.#values = chunks[0]?.values instanceof Int32Array ? new Int32Array(total) : new Float64Array(total);
    const next = this.#starts.slice();
    for (const chunk of chunks) this.#place(chunk, next);
  }

  /** Nearest rank: the smallest value that at least `percent` of all values do not exceed. */
  percentile(percent: number, first: number, end: number): number | null {
    const last = Math.min(end, this.#isSorted.length);
    const values = this.#values.subarray(this.#starts[first], this.#starts[last]);
    if (values.length === 0) return null;
    const rank = Math.ceil((percent * values.length) / 100) - 1;
    if (last - first > 1) return sorted(values.slice())[rank] as number;
    if (this.#isSorted[first] === 0) sorted(values);
    this.#isSorted[first] = 1;
    return values[rank] as number;
  }

  #place({ values, cells, turns }: Chunk, next: Float64Array): void {
    let place = 0;
    for (let row = 0; row < cells.length; row += 1) {
      const cell = cells[row] as number;
      const end = place + (turns === null ? 1 : (turns[row] as number));
      if (cell >= 0) {
        let target = next[cell] as number;
        for (let index = place; index < end; index += 1) {
          const value = values[index] as number;
          const isValue = turns === null ? !Number.isNaN(value) : value >= 0;
          if (isValue) {
            this.#values[target] = value;
            target += 1;
          }
        }
        next[cell] = target;
      }
      place = end;
    }
  }
}

/** In place. Latencies are small whole numbers, which are counted several times as fast as they are compared. */
function sorted(values: Numbers): Numbers {
  if (values instanceof Float64Array) return values.sort();
  let [min, max] = [values[0] as number, values[0] as number];
  for (const value of values) {
    if (value < min) min = value;
    else if (value > max) max = value;
  }
  if (max - min > 4 * values.length) return values.sort();
  const counts = new Int32Array(max - min + 1);
  for (const value of values) (counts[value - min] as number) += 1;
  let place = 0;
  for (let offset = 0; offset < counts.length; offset += 1) {
    const end = place + (counts[offset] as number);
    values.fill(offset + min, place, end);
    place = end;
  }
  return values;
}

/** How many different values each cell has. */
export class DistinctValues {
  readonly #budget: Budget;
  readonly #cells = new Map<number, Set<unknown>>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  add(cell: number, value: unknown): void {
    let values = this.#cells.get(cell);
    if (values === undefined) {
      values = new Set();
      this.#cells.set(cell, values);
    }
    if (values.has(value)) return;
    this.#budget.take(100 + (typeof value === 'string' ? 2 * value.length : 0));
    values.add(value);
  }

  count(first: number, end: number): number {
    if (end - first === 1) return this.#cells.get(first)?.size ?? 0;
    const all = new Set<unknown>();
    for (let cell = first; cell < end; cell += 1) for (const value of this.#cells.get(cell) ?? []) all.add(value);
    return all.size;
  }
}

/** Averages and ratios have 6 decimals. */
export function rounded(value: number): number {
  return Math.abs(value) < 1e15 ? Number(value.toFixed(6)) : value;
}
