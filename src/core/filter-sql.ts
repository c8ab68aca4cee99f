import type { Filter, FilterField, FilterLeaf, FilterScalar } from '../contract/filter.ts';
import { instantOf } from './filter.ts';
import { fold } from './folding.ts';

/** A column that holds the values of a field: times in milliseconds, numbers as integers, booleans as 0 and 1. */
export interface FilterColumn {
  readonly name: string;
  readonly field: FilterField;
  /** What stands for no value in a column that cannot be NULL. */
  readonly none?: '' | 0;
}

/** The value of the field that a column stores. */
export function fieldValueOf({ field, none }: FilterColumn, stored: unknown): unknown {
  if (stored === null || stored === none) return null;
  if (field.type === 'time') return new Date(stored as number).toISOString();
  return field.type === 'boolean' ? stored === 1 : stored;
}

/** A condition on columns that every row that matches the filter fulfills. It is never NULL. */
export interface FilterCondition {
  readonly sql: string;
  /** The values of `$n`, from the first parameter on. */
  readonly parameters: readonly (string | number)[];
  /** Whether every row that fulfills it also matches. Otherwise `compileFilter` decides on each row. */
  readonly isExact: boolean;
}

/** Adds a parameter, and returns its `$n`. */
export type AddParameter = (value: string | number) => string;
/** True and false do not depend on the row. */
type Condition = boolean | ((add: AddParameter) => string);

export interface FilterSqlOptions {
  readonly columnOf: (field: string) => FilterColumn | undefined;
  /** For a leaf that SQL decides otherwise: a condition that is true for exactly the rows for which it is, and never NULL. */
  readonly exactFor?: (leaf: FilterLeaf) => ((add: AddParameter) => string) | undefined;
  /** For a leaf that only the process can evaluate: a condition that every row has for which it is true. */
  readonly necessaryFor?: (leaf: FilterLeaf) => ((add: AddParameter) => string) | undefined;
  readonly firstParameter?: number;
}

/**
 * A valid filter as an SQL condition for both engines. A leaf that only the process can evaluate, because its field is
 * not a column or its text has to be folded, is replaced by what keeps the row.
 */
export function compileFilterToSql(
  filter: Filter,
  { columnOf, exactFor = () => undefined, necessaryFor = () => undefined, firstParameter = 1 }: FilterSqlOptions,
): FilterCondition {
  let isExact = true;
  /** `isNegated` is true inside an odd number of `not`: there, a row is kept by what is false. */
  const compile = (node: Filter, isNegated: boolean): Condition => {
    if ('all' in node) return joined(compileAll(node.all, isNegated), 'AND');
    if ('any' in node) return joined(compileAll(node.any, isNegated), 'OR');
    if ('not' in node) return negated(compile(node.not, !isNegated));
    const column = columnOf(node.field);
    const condition = column === undefined ? exactFor(node) : leafCondition(node, column);
    if (condition !== undefined) return condition;
    isExact = false;
    return isNegated ? false : (necessaryFor(node) ?? true);
  };
  const compileAll = (nodes: readonly Filter[], isNegated: boolean) => nodes.map((node) => compile(node, isNegated));

  const condition = compile(filter, false);
  // Parameters are added at the end, when it is known which are used: PostgreSQL accepts no others.
  const parameters: (string | number)[] = [];
  const add: AddParameter = (value) => `$${firstParameter + parameters.push(value) - 1}`;
  const sql = typeof condition === 'function' ? condition(add) : condition ? 'TRUE' : 'FALSE';
  return { sql, parameters, isExact };
}

function joined(parts: readonly Condition[], operator: 'AND' | 'OR'): Condition {
  const decisive = operator === 'OR';
  if (parts.includes(decisive)) return decisive;
  const rest = parts.filter((part) => typeof part === 'function');
  if (rest.length === 0) return !decisive;
  return (add) => `(${rest.map((part) => part(add)).join(` ${operator} `)})`;
}

function negated(condition: Condition): Condition {
  return typeof condition === 'function' ? (add) => `NOT ${condition(add)}` : !condition;
}

/**
 * Undefined if SQL cannot tell. A comparison with NULL would be NULL inside `not` as well, so that each of them asks for
 * a value first.
 */
function leafCondition({ op, value }: FilterLeaf, { name, field, none }: FilterColumn): Condition | undefined {
  const noneInSql = none === '' ? "''" : none;
  const hasValue = none === undefined ? `${name} IS NOT NULL` : `${name} <> ${noneInSql}`;
  const exists = () => `(${hasValue})`;
  const compared =
    (operator: string, stored: string | number): Condition =>
    (add) =>
      `(${hasValue} AND ${name} ${operator} ${add(stored)})`;
  const isOneOf = (values: readonly (string | number)[]): Condition =>
    values.length > 0 && ((add) => `(${hasValue} AND ${name} IN (${values.map(add).join(', ')}))`);
  switch (op) {
    case 'exists':
      return value ? exists : () => (none === undefined ? `(${name} IS NULL)` : `(${name} = ${noneInSql})`);
    case 'contains':
    case 'startsWith':
      return field.values === undefined ? undefined : isOneOf(valuesWith(field.values, op, value as string));
    case 'eq':
      return isOneOf(storedValues([value as FilterScalar], field));
    case 'in':
      return isOneOf(storedValues(value as readonly FilterScalar[], field));
    case 'ne': {
      const [stored] = storedValues([value as FilterScalar], field);
      if (stored !== undefined) return compared('<>', stored);
      // No row has this value, so that all others differ; from a time that is none, nothing does.
      return field.type === 'time' ? false : exists;
    }
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte': {
      const bound = field.type === 'time' ? instantOf(value) : (value as number);
      if (bound === undefined) return false;
      // Columns are integers, so that a comparison with a fraction is one with the next integer.
      const integer = op === 'lt' || op === 'gte' ? Math.ceil(bound) : Math.floor(bound);
      if (Math.abs(integer) <= Number.MAX_SAFE_INTEGER) return compared(operators[op], integer);
      // Above or below everything that a column can have.
      return (op === 'lt' || op === 'lte') === integer > 0 && exists;
    }
    default:
      return op satisfies never;
  }
}

const operators = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** The values as the column stores them, without those that it cannot have. */
function storedValues(values: readonly FilterScalar[], { type }: FilterField): (string | number)[] {
  return values.flatMap((value) => {
    const stored = type === 'time' ? instantOf(value) : typeof value === 'boolean' ? Number(value) : value;
    if (stored === undefined) return [];
    return (typeof stored === 'number' ? Number.isSafeInteger(stored) : isStorable(stored)) ? [stored] : [];
  });
}

/** PostgreSQL cannot store NUL, and UTF-8 has no unpaired surrogates. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function valuesWith(values: readonly string[], op: 'contains' | 'startsWith', text: string): string[] {
  const part = fold(text);
  return values.filter((value) => (op === 'contains' ? fold(value).includes(part) : fold(value).startsWith(part)));
}
