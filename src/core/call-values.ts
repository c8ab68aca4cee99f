import type { Call } from '../contract/calls/call.ts';
import { callValuePrefixes } from '../contract/calls/fields.ts';
import type { FilterLeaf, FilterScalar } from '../contract/filter.ts';

interface ValueGroup {
  /** What stands for the prefix of its fields. A search reads megabytes of these texts, so that it is short. */
  readonly mark: string;
  readonly read: (call: Call) => Readonly<Record<string, unknown>>;
}

const groups: Readonly<Record<(typeof callValuePrefixes)[number], ValueGroup>> = {
  'metadata.': { mark: 'm.', read: (call) => call.metadata },
  'variables.': { mark: 'v.', read: (call) => call.variables },
  'collectedVariables.': { mark: 'c.', read: (call) => call.collectedVariables },
  'analysis.data.': { mark: 'a.', read: (call) => call.analysis.data },
};

/** An object or a list: it exists, and no comparison with it is true. */
const compound: readonly never[] = [];

/** The values of a call with free-form names, by their fields, such as `metadata.page`. Objects and lists are left out. */
export function* freeFormValues(text: string): Generator<[field: string, value: FilterScalar]> {
  const prefixes = Object.entries(groups).map(([prefix, { mark }]) => [mark, prefix] as const);
  for (const [name, value] of Object.entries(JSON.parse(text) as Record<string, FilterScalar | readonly never[]>)) {
    const [mark, prefix] = prefixes.find(([each]) => name.startsWith(each)) ?? [];
    if (mark === undefined || typeof value === 'object') continue;
    yield [`${prefix}${name.slice(mark.length)}`, value as FilterScalar];
  }
}

/**
 * The column `search_values`: one JSON object with the values that filters compare inside of a call, such as
 * `{"m.page":"/booking","v.guests":2}`. As it has no inner objects, a name occurs in it as `"name":` and nowhere else,
 * so that a search finds a value without parsing the rest.
 */
export function searchValuesOf(call: Call): string {
  const entries = Object.values(groups).flatMap(({ mark, read }) =>
    Object.entries(read(call)).flatMap(([key, value]) =>
      value === null || value === undefined
        ? []
        : [[`${mark}${key}`, typeof value === 'object' ? compound : value] as const],
    ),
  );
  return JSON.stringify(Object.fromEntries(entries));
}

/** Most changes of a call leave these objects as they are. */
export function haveSameSearchValues(one: Call, other: Call): boolean {
  return (
    Object.values(groups).every(({ read }) => read(one) === read(other)) ||
    searchValuesOf(one) === searchValuesOf(other)
  );
}

/** Reads the value of a field from the text of `search_values`. */
export function valueReader(field: string): (text: string) => unknown {
  const key = keyOf(field);
  return (text) => {
    const place = text.indexOf(key);
    return place === -1 ? undefined : valueAt(text, place + key.length);
  };
}

/**
 * One of these is in the `search_values` of every call for which the leaf is true. Undefined if there is no such text, or
 * only the name of the field: most calls have it, so that looking for it would take longer than it saves.
 */
export function textsFor({ field, op, value }: FilterLeaf): readonly string[] | undefined {
  if (op !== 'eq' && op !== 'in') return undefined;
  const values = op === 'eq' ? [value as FilterScalar] : (value as readonly FilterScalar[]);
  const key = keyOf(field);
  return values.map((each) => `${key}${JSON.stringify(each)}`);
}

function keyOf(field: string): string {
  const prefix = callValuePrefixes.find((each) => field.startsWith(each));
  if (prefix === undefined) throw new Error(`calls have no field ${field}`);
  return `${JSON.stringify(`${groups[prefix].mark}${field.slice(prefix.length)}`)}:`;
}

const quote = '"'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);
const comma = ','.charCodeAt(0);
const brace = '}'.charCodeAt(0);

function valueAt(text: string, start: number): unknown {
  let end = start + 1;
  if (text.charCodeAt(start) === quote) {
    for (let code = text.charCodeAt(end); code !== quote; code = text.charCodeAt(end))
      end += code === backslash ? 2 : 1;
    end += 1;
  } else {
    for (let code = text.charCodeAt(end); code !== comma && code !== brace; code = text.charCodeAt(end)) end += 1;
  }
  return JSON.parse(text.slice(start, end));
}
