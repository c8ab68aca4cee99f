import type { Filter, FilterLeaf, FilterOp, FilterScalar } from '../contract/filter.ts';
import { fold as foldNames } from './folding.ts';

export type ReadField = (field: string) => unknown;

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * A valid filter as a function of the fields' values. `isTime` names the fields whose text is a time also for `eq`,
 * `ne` and `in`; `lt`, `lte`, `gt` and `gte` recognize times themselves.
 */
export function compileFilter(
  filter: Filter,
  fold: (text: string) => string = foldNames,
  isTime: (field: string) => boolean = () => false,
): (read: ReadField) => boolean {
  const compile = (node: Filter): ((read: ReadField) => boolean) => {
    if ('all' in node) {
      const parts = node.all.map(compile);
      return (read) => parts.every((part) => part(read));
    }
    if ('any' in node) {
      const parts = node.any.map(compile);
      return (read) => parts.some((part) => part(read));
    }
    if ('not' in node) {
      const inner = compile(node.not);
      return (read) => !inner(read);
    }
    const test = leafTest(node, fold, isTime(node.field));
    return (read) => test(read(node.field));
  };
  return compile(filter);
}

/** A condition of a filter, and what it finds. */
export interface ExplainedLeaf {
  /** Where it is in the filter, such as `all.1`; empty for a filter that is one condition. */
  readonly path: string;
  readonly field: string;
  readonly op: FilterOp;
  readonly expected: FilterLeaf['value'];
  /** Null: there is no value. */
  readonly actual: unknown;
  readonly result: boolean;
}

export interface ExplainOptions {
  readonly fold?: (text: string) => string;
  readonly isTime?: (field: string) => boolean;
  /** Where the filter is. */
  readonly path?: readonly (string | number)[];
}

/** Whether a valid filter matches, and what each of its conditions finds. */
export function explainFilter(
  filter: Filter,
  read: ReadField,
  { fold, isTime, path = [] }: ExplainOptions = {},
): { readonly matched: boolean; readonly leaves: readonly ExplainedLeaf[] } {
  const matches = (node: Filter): boolean => compileFilter(node, fold, isTime)(read);
  const leaves = placedLeavesOf(filter, path).map(({ leaf, place }) => ({
    path: place.join('.'),
    field: leaf.field,
    op: leaf.op,
    expected: leaf.value,
    actual: read(leaf.field) ?? null,
    result: matches(leaf),
  }));
  return { matched: matches(filter), leaves };
}

type Path = readonly (string | number)[];

interface PlacedLeaf {
  readonly leaf: FilterLeaf;
  readonly place: Path;
}

function placedLeavesOf(filter: Filter, place: Path): PlacedLeaf[] {
  if ('all' in filter) return filter.all.flatMap((part, index) => placedLeavesOf(part, [...place, 'all', index]));
  if ('any' in filter) return filter.any.flatMap((part, index) => placedLeavesOf(part, [...place, 'any', index]));
  return 'not' in filter ? placedLeavesOf(filter.not, [...place, 'not']) : [{ leaf: filter, place }];
}

/** The conditions of a filter. */
export function leavesOf(filter: Filter): FilterLeaf[] {
  return placedLeavesOf(filter, []).map(({ leaf }) => leaf);
}

type Test = (value: unknown) => boolean;

function leafTest({ op, value }: FilterLeaf, fold: (text: string) => string, isTime: boolean): Test {
  switch (op) {
    case 'exists':
      return (found) => (found !== undefined && found !== null) === value;
    case 'contains': {
      const part = fold(value as string);
      return (found) => typeof found === 'string' && fold(found).includes(part);
    }
    case 'startsWith': {
      const start = fold(value as string);
      return (found) => typeof found === 'string' && fold(found).startsWith(start);
    }
    case 'eq':
      return equals(value as FilterScalar, isTime);
    case 'ne':
      return differs(value as FilterScalar, isTime);
    case 'in': {
      const tests = (value as readonly FilterScalar[]).map((each) => equals(each, isTime));
      return (found) => tests.some((test) => test(found));
    }
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return comparison(op, value as string | number);
    default:
      return op satisfies never;
  }
}

function equals(expected: FilterScalar, isTime: boolean): Test {
  if (!isTime) return (found) => found === expected;
  const time = instantOf(expected);
  return (found) => time !== undefined && instantOf(found) === time;
}

/** This is not the opposite of `equals`: a value of another type is neither equal nor different. */
function differs(expected: FilterScalar, isTime: boolean): Test {
  if (!isTime) return (found) => typeof found === typeof expected && found !== expected;
  const time = instantOf(expected);
  return (found) => {
    const instant = instantOf(found);
    return instant !== undefined && time !== undefined && instant !== time;
  };
}

const holds = {
  lt: (left: number, right: number) => left < right,
  lte: (left: number, right: number) => left <= right,
  gt: (left: number, right: number) => left > right,
  gte: (left: number, right: number) => left >= right,
};

function comparison(op: keyof typeof holds, expected: string | number): Test {
  const compare = holds[op];
  if (typeof expected === 'number') return (found) => typeof found === 'number' && compare(found, expected);
  const time = instantOf(expected);
  return (found) => {
    const instant = instantOf(found);
    return instant !== undefined && time !== undefined && compare(instant, time);
  };
}

/** In milliseconds; undefined if the text is not a time. */
export function instantOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !isoTime.test(value)) return undefined;
  const instant = Date.parse(value);
  return Number.isNaN(instant) ? undefined : instant;
}
