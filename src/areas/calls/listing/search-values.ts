import type { Call } from '../../../contract/calls/call.ts';
import type { callValuePrefixes } from '../../../contract/calls/fields.ts';
import type { FilterLeaf, FilterScalar } from '../../../contract/filter.ts';

type ValuePrefix = (typeof callValuePrefixes)[number];

const readGroup: Readonly<Record<ValuePrefix, (call: Call) => Readonly<Record<string, unknown>>>> = {
  'metadata.': (call) => call.metadata,
  'variables.': (call) => call.variables,
  'collectedVariables.': (call) => call.collectedVariables,
  'analysis.data.': (call) => call.analysis.data,
};

/** An object or a list: it exists, and no comparison with it is true. */
const compound: readonly never[] = [];

/**
 * The column `search_values`: one JSON object with the values that filters compare inside of a call, by field, such as
 * `{"metadata.page":"/booking","variables.guests":2}`. As it has no inner objects, a field occurs in it as `"field":`
 * and nowhere else, so that a search finds a value without parsing the rest.
 */
export function searchValuesOf(call: Call): string {
  const entries = Object.entries(readGroup).flatMap(([prefix, read]) =>
    Object.entries(read(call)).flatMap(([key, value]) =>
      value === null || value === undefined
        ? []
        : [[`${prefix}${key}`, typeof value === 'object' ? compound : value] as const],
    ),
  );
  return JSON.stringify(Object.fromEntries(entries));
}

/** Reads the value of a field from the text of `search_values`. */
export function valueReader(field: string): (text: string) => unknown {
  const key = keyOf(field);
  return (text) => {
    const place = text.indexOf(key);
    return place === -1 ? undefined : valueAt(text, place + key.length);
  };
}

/** One of these is in the `search_values` of every call for which the leaf is true. Undefined if there is no such text. */
export function textsFor({ field, op, value }: FilterLeaf): readonly string[] | undefined {
  const key = keyOf(field);
  const withValue = (scalar: FilterScalar) => `${key}${JSON.stringify(scalar)}`;
  if (op === 'eq') return [withValue(value as FilterScalar)];
  if (op === 'in') return (value as readonly FilterScalar[]).map(withValue);
  return op === 'exists' && value === false ? undefined : [key];
}

function keyOf(field: string): string {
  return `${JSON.stringify(field)}:`;
}

function valueAt(text: string, start: number): unknown {
  let end = start + 1;
  if (text[start] === '"') {
    while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    end += 1;
  } else while (text[end] !== ',' && text[end] !== '}') end += 1;
  return JSON.parse(text.slice(start, end));
}
