import type { Call } from '../../../contract/calls/call.ts';
import { callValuePrefixes } from '../../../contract/calls/fields.ts';

type ValuePrefix = (typeof callValuePrefixes)[number];
type Values = Readonly<Record<string, unknown>>;

const groups: Readonly<Record<ValuePrefix, { name: string; read: (call: Call) => Values }>> = {
  'metadata.': { name: 'metadata', read: (call) => call.metadata },
  'variables.': { name: 'variables', read: (call) => call.variables },
  'collectedVariables.': { name: 'collectedVariables', read: (call) => call.collectedVariables },
  'analysis.data.': { name: 'analysisData', read: (call) => call.analysis.data },
};

/** An object or a list: it exists, and no comparison with it is true. */
const compound: readonly never[] = [];

/** The column `search_values`: what filters compare inside JSON, so that a search need not parse whole calls. */
export function searchValuesOf(call: Call): string {
  const stored = Object.values(groups).flatMap(({ name, read }) => {
    const values = Object.entries(read(call)).flatMap(([key, value]) =>
      value === null || value === undefined ? [] : [[key, typeof value === 'object' ? compound : value]],
    );
    return values.length === 0 ? [] : [[name, Object.fromEntries(values)]];
  });
  return JSON.stringify(Object.fromEntries(stored));
}

/** Reads one field of `metadata`, `variables`, `collectedVariables` or `analysis.data` from parsed `search_values`. */
export function valueReader(field: string): (values: Record<string, Values>) => unknown {
  const prefix = callValuePrefixes.find((each) => field.startsWith(each));
  if (prefix === undefined) throw new Error(`calls have no field ${field}`);
  const { name } = groups[prefix];
  const key = field.slice(prefix.length);
  return (values) => {
    const group = values[name];
    // Keys are chosen by callers, and may be those of Object.prototype.
    return group !== undefined && Object.hasOwn(group, key) ? group[key] : undefined;
  };
}
