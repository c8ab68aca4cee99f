import { z } from 'zod';
import { isObject } from './json-object.ts';

export const comparisonOps = ['lt', 'lte', 'gt', 'gte'] as const;
export const filterOps = ['eq', 'ne', 'in', ...comparisonOps, 'contains', 'startsWith', 'exists'] as const;
export type FilterOp = (typeof filterOps)[number];
export type FilterScalar = string | number | boolean;

export interface FilterLeaf {
  readonly field: string;
  readonly op: FilterOp;
  readonly value: FilterScalar | readonly FilterScalar[];
}

export type Filter =
  | FilterLeaf
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter };

export interface FilterField {
  /**
   * `any`: what a caller stores there decides, so that a leaf whose value has another type is false. `text`: long, and can
   * only be searched.
   */
  readonly type: 'string' | 'number' | 'boolean' | 'time' | 'any' | 'text';
  /** The only values that a string field has. */
  readonly values?: readonly string[];
}

/** A field with a value that can be compared. */
export interface ValueField extends FilterField {
  readonly type: Exclude<FilterField['type'], 'text'>;
}

/** The fields that a filter may name: undefined if there is no such field. */
export type FieldCatalog = (field: string) => FilterField | undefined;

export interface FilterIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export const maxFilterLeaves = 50;
export const maxFilterDepth = 5;
const maxListItems = 100;
const searchLengths = { min: 1, max: 500 } as const;
/** In a long text. A single character is in most of them. */
const textSearchLengths = { min: 2, max: 100 } as const;

const timeSchema = z.iso.datetime({ offset: true });
const opsOf: Readonly<Record<FilterField['type'], readonly FilterOp[]>> = {
  string: ['eq', 'ne', 'in', 'contains', 'startsWith', 'exists'],
  number: ['eq', 'ne', 'in', ...comparisonOps, 'exists'],
  boolean: ['eq', 'ne', 'in', 'exists'],
  time: ['eq', 'ne', 'in', ...comparisonOps, 'exists'],
  any: filterOps,
  text: ['contains'],
};

/** A schema of filters over these fields. Its issues have the path of the leaf. */
export function filterSchema(catalog: FieldCatalog): z.ZodType<Filter> {
  return checkedFilter(catalog, false) as unknown as z.ZodType<Filter>;
}

/** The same, or null for no filter. */
export function nullableFilterSchema(catalog: FieldCatalog): z.ZodType<Filter | null> {
  return checkedFilter(catalog, true) as unknown as z.ZodType<Filter | null>;
}

function checkedFilter(catalog: FieldCatalog, isNullable: boolean): z.ZodUnknown {
  return z.unknown().superRefine((value, context) => {
    if (isNullable && value === null) return;
    for (const { path, message } of filterIssues(value, catalog)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  });
}

/** Everything that is wrong with a filter, without ever descending deeper than a filter may be. */
export function filterIssues(filter: unknown, catalog: FieldCatalog): FilterIssue[] {
  const check = new FilterCheck(catalog);
  check.node(filter, [], 1);
  if (check.leaves > maxFilterLeaves) {
    check.issues.push({ path: [], message: `must have at most ${maxFilterLeaves} conditions` });
  }
  return check.issues;
}

type Path = readonly (string | number)[];

class FilterCheck {
  readonly issues: FilterIssue[] = [];
  leaves = 0;
  readonly #catalog: FieldCatalog;

  constructor(catalog: FieldCatalog) {
    this.#catalog = catalog;
  }

  node(node: unknown, path: Path, depth: number): void {
    if (depth > maxFilterDepth) {
      this.#add(path, `must not be nested deeper than ${maxFilterDepth} levels`);
      return;
    }
    if (!isObject(node)) {
      this.#add(path, 'must be an object');
      return;
    }
    const operator = ['all', 'any', 'not'].find((name) => Object.hasOwn(node, name));
    if (operator === undefined) {
      this.#leaf(node, path);
      return;
    }
    this.#onlyKeys(node, [operator], path);
    if (operator === 'not') this.node(node.not, [...path, 'not'], depth + 1);
    else this.#parts(node[operator], [...path, operator], depth + 1);
  }

  #parts(parts: unknown, path: Path, depth: number): void {
    if (!Array.isArray(parts)) this.#add(path, 'must be a list');
    else if (parts.length === 0) this.#add(path, 'must not be empty');
    else {
      for (const [index, part] of parts.entries()) {
        // Enough is known: a list of a million conditions is not read to its end.
        if (this.leaves > maxFilterLeaves) return;
        this.node(part, [...path, index], depth);
      }
    }
  }

  #leaf(leaf: Record<string, unknown>, path: Path): void {
    this.leaves += 1;
    this.#onlyKeys(leaf, ['field', 'op', 'value'], path);
    const field = this.#fieldOf(leaf, path);
    const op = this.#opOf(leaf, field, path);
    if (leaf.value === undefined) this.#add([...path, 'value'], 'is required');
    else if (field !== undefined && op !== undefined) this.#value(field, op, leaf.value, [...path, 'value']);
  }

  #fieldOf({ field }: Record<string, unknown>, path: Path): FilterField | undefined {
    const at = [...path, 'field'];
    if (field === undefined) this.#add(at, 'is required');
    else if (typeof field !== 'string') this.#add(at, 'must be a string');
    else {
      const known = this.#catalog(field);
      if (known === undefined) this.#add(at, 'is not a field that can be filtered by');
      return known;
    }
    return undefined;
  }

  #opOf({ op }: Record<string, unknown>, field: FilterField | undefined, path: Path): FilterOp | undefined {
    const ops = opsOf[field?.type ?? 'any'];
    const known = ops.find((each) => each === op);
    if (known === undefined) {
      this.#add([...path, 'op'], op === undefined ? 'is required' : `must be one of: ${ops.join(', ')}`);
    }
    return known;
  }

  #value(field: FilterField, op: FilterOp, value: unknown, path: Path): void {
    if (op === 'exists') {
      if (typeof value !== 'boolean') this.#add(path, 'must be true or false');
    } else if (op === 'contains' || op === 'startsWith') {
      this.#searchText(value, path, field.type === 'text' ? textSearchLengths : searchLengths);
    } else if (op === 'in') this.#list(field, value, path);
    else if (op === 'eq' || op === 'ne') this.#scalar(field, value, path);
    else this.#comparable(field, value, path);
  }

  #searchText(value: unknown, path: Path, { min, max }: { readonly min: number; readonly max: number }): void {
    if (typeof value !== 'string') this.#add(path, 'must be a string');
    else if (value === '') this.#add(path, 'must not be empty');
    else if (value.length < 2 * min && [...value].length < min) {
      this.#add(path, `must be at least ${min} characters long`);
    } else if (value.length > max && [...value].length > max) {
      this.#add(path, `must be at most ${max} characters long`);
    }
  }

  #list(field: FilterField, value: unknown, path: Path): void {
    if (!Array.isArray(value)) this.#add(path, 'must be a list');
    else if (value.length === 0) this.#add(path, 'must not be empty');
    else if (value.length > maxListItems) this.#add(path, `must have at most ${maxListItems} items`);
    else for (const [index, item] of value.entries()) this.#scalar(field, item, [...path, index]);
  }

  #scalar(field: FilterField, value: unknown, path: Path): void {
    switch (field.type) {
      case 'any':
        if (!['string', 'number', 'boolean'].includes(typeof value)) {
          this.#add(path, 'must be a string, a number, or true or false');
        }
        break;
      case 'time':
        if (!isTime(value)) this.#add(path, mustBeTime);
        break;
      case 'string':
        if (typeof value !== 'string') this.#add(path, 'must be a string');
        else if (field.values !== undefined && !field.values.includes(value)) {
          this.#add(path, `must be one of: ${field.values.join(', ')}`);
        }
        break;
      default:
        if (typeof value !== field.type) {
          this.#add(path, field.type === 'number' ? 'must be a number' : 'must be true or false');
        }
    }
  }

  #comparable(field: FilterField, value: unknown, path: Path): void {
    if (field.type === 'time') {
      if (!isTime(value)) this.#add(path, mustBeTime);
    } else if (typeof value === 'number') return;
    else if (field.type === 'number') this.#add(path, 'must be a number');
    else if (!isTime(value)) {
      this.#add(path, 'must be a number or an ISO 8601 date-time, such as 2026-01-31T09:00:00Z');
    }
  }

  #onlyKeys(node: Record<string, unknown>, keys: readonly string[], path: Path): void {
    for (const key of Object.keys(node)) {
      if (!keys.includes(key)) this.#add([...path, key], 'is not a part of a filter');
    }
  }

  #add(path: Path, message: string): void {
    this.issues.push({ path, message });
  }
}

const mustBeTime = 'must be an ISO 8601 date-time, such as 2026-01-31T09:00:00Z';

function isTime(value: unknown): value is string {
  return typeof value === 'string' && timeSchema.safeParse(value).success;
}
