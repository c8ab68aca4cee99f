import type { FieldReader } from './field-values.ts';
import { type Budget, Refusal } from './job.ts';
import type { Batch } from './scan.ts';

export type GroupValue = string | number | boolean | null;

const maxLength = 200;
export const maxGroupValues = 1000;
export const otherValues = '(other)';

/** A dimension has more values than figures are grouped by. */
export class TooManyValues extends Error {}

/** The groups of calls with the same values. */
export class Groups {
  readonly #codes: readonly Map<GroupValue, number>[];
  readonly #allowed: readonly (ReadonlySet<GroupValue> | undefined)[];
  readonly #byCodes = new Map<number, number>();
  readonly #max: number;
  readonly values: GroupValue[][] = [];

  /** `allowed`: for each dimension, the values that are not put together as others. */
  constructor(dimensions: number, allowed: readonly (ReadonlySet<GroupValue> | undefined)[], max: number) {
    this.#codes = Array.from({ length: dimensions }, () => new Map());
    this.#allowed = allowed;
    this.#max = max;
    if (dimensions === 0) this.values.push([]);
  }

  get count(): number {
    return this.values.length;
  }

  /** The group of each call. `isFixed`: without adding groups; -1 for calls that are in none. */
  of(batch: Batch, dimensions: readonly FieldReader[], isFixed: boolean): (row: number) => number {
    const [first, second] = dimensions.map((dimension) => dimension.read(batch));
    if (first === undefined) return () => 0;
    return (row) => {
      const one = this.#code(0, first(row), isFixed);
      const two = second === undefined ? 0 : this.#code(1, second(row), isFixed);
      return one === -1 || two === -1 ? -1 : this.#group(one, two, isFixed);
    };
  }

  #code(dimension: number, found: unknown, isFixed: boolean): number {
    const value = this.#shown(dimension, groupValueOf(found));
    const codes = this.#codes[dimension] as Map<GroupValue, number>;
    const known = codes.get(value);
    if (known !== undefined) return known;
    if (isFixed) return -1;
    const isFull = codes.size - (codes.has(null) ? 1 : 0) === maxGroupValues;
    if (isFull && value !== null && this.#allowed[dimension] === undefined) throw new TooManyValues();
    codes.set(value, codes.size);
    return codes.size - 1;
  }

  #shown(dimension: number, value: GroupValue): GroupValue {
    const allowed = this.#allowed[dimension];
    return value === null || allowed === undefined || allowed.has(value) ? value : otherValues;
  }

  #group(one: number, two: number, isFixed: boolean): number {
    const key = one * (maxGroupValues + 3) + two;
    const known = this.#byCodes.get(key);
    if (known !== undefined) return known;
    if (isFixed) return -1;
    if (this.count === this.#max) throw new Refusal(tooManyRows);
    this.#byCodes.set(key, this.count);
    this.values.push(this.#codes.map((codes, place) => valueAt(codes, place === 0 ? one : two)));
    return this.count - 1;
  }
}

export const tooManyRows = 'has more than 10,000 rows: choose a longer interval, a shorter range, or group by less';

function valueAt(codes: ReadonlyMap<GroupValue, number>, code: number): GroupValue {
  for (const [value, each] of codes) if (each === code) return value;
  return null;
}

/** What a call is grouped by. Objects and lists are no value. */
export function groupValueOf(value: unknown): GroupValue {
  switch (typeof value) {
    case 'string':
      return value.length <= maxLength ? value : [...value].slice(0, maxLength).join('');
    case 'number':
    case 'boolean':
      return value;
    default:
      return null;
  }
}

/** The values of a dimension by how many calls have them. */
export class Frequencies {
  readonly #counts = new Map<GroupValue, number>();
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  add(found: unknown): void {
    const value = groupValueOf(found);
    if (value === null) return;
    const count = this.#counts.get(value);
    if (count === undefined) this.#budget.take(100 + (typeof value === 'string' ? 2 * value.length : 0));
    this.#counts.set(value, (count ?? 0) + 1);
  }

  mostFrequent(): ReadonlySet<GroupValue> | undefined {
    if (this.#counts.size <= maxGroupValues) return undefined;
    const sorted = [...this.#counts].sort(([a, x], [b, y]) => y - x || compareValues(a, b));
    return new Set(sorted.slice(0, maxGroupValues).map(([value]) => value));
  }
}

const typeOrder = { boolean: 0, number: 1, string: 2 } as const;

/** Ascending, by type and then by value; null is last. */
export function compareValues(one: GroupValue, other: GroupValue): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  const [a, b] = [typeof one, typeof other] as ['string', 'string'];
  if (a !== b) return typeOrder[a] - typeOrder[b];
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string));
  return Number(one) - Number(other);
}
