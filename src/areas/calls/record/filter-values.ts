import type { Call } from '../../../contract/calls/call.ts';
import { callColumns, callValuePrefixes } from '../../../contract/calls/fields.ts';
import type { FilterLeaf, FilterScalar } from '../../../contract/filter.ts';
import type { FilterColumn } from '../../../core/filter-sql.ts';

type ColumnValue = string | number | null;

interface CallColumn extends FilterColumn {
  readonly read: (call: Call) => string | number | boolean | null;
}

const column = (
  field: string,
  name: string,
  read: CallColumn['read'],
  none?: FilterColumn['none'],
): [string, CallColumn] => {
  const type = callColumns[field];
  if (type === undefined) throw new Error(`calls have no field ${field}`);
  return [field, { name, field: type, read, ...(none !== undefined && { none }) }];
};

/** The columns of the table `calls` that filters compare, by field. */
const columns: ReadonlyMap<string, CallColumn> = new Map([
  column('type', 'type', (call) => call.type),
  column('direction', 'direction', (call) => call.direction),
  column('status', 'status', (call) => call.status),
  column('engine', 'engine', (call) => call.engine, ''),
  column('endReason', 'end_reason', (call) => call.endReason),
  column('endedBy', 'ended_by', (call) => call.endedBy),
  column('dataStorageSetting', 'data_storage_setting', (call) => call.dataStorageSetting),
  column('analysis.status', 'analysis_status', (call) => call.analysis.status),
  column('analysis.sentiment', 'analysis_sentiment', (call) => call.analysis.sentiment),
  column('analysis.successful', 'analysis_successful', (call) => call.analysis.successful),
  column('agentId', 'agent_id', (call) => call.agentId, ''),
  column('externalId', 'external_id', (call) => call.externalId),
  column('phoneNumberId', 'phone_number_id', (call) => call.phoneNumberId),
  column('batchId', 'batch_id', (call) => call.batchId),
  column('from', 'from_number', (call) => call.from),
  column('to', 'to_number', (call) => call.to),
  column('agentVersion', 'agent_version', (call) => call.agentVersion, 0),
  column('durationMs', 'duration_ms', (call) => call.durationMs),
  column('latency.e2eMs.p50', 'e2e_p50', (call) => call.latency?.e2eMs?.p50 ?? null),
  column('latency.e2eMs.p90', 'e2e_p90', (call) => call.latency?.e2eMs?.p90 ?? null),
  column('latency.e2eMs.p95', 'e2e_p95', (call) => call.latency?.e2eMs?.p95 ?? null),
  column('latency.e2eMs.p99', 'e2e_p99', (call) => call.latency?.e2eMs?.p99 ?? null),
  column('usage.llm.totalTokens', 'total_tokens', (call) => call.usage.llm.totalTokens),
  column('usage.knowledge.empty', 'empty_searches', (call) => call.usage.knowledge.empty),
  column('createdAt', 'created_at', (call) => call.createdAt),
  column('startedAt', 'started_at', (call) => call.startedAt),
  column('endedAt', 'ended_at', (call) => call.endedAt),
]);

export function columnOf(field: string): FilterColumn | undefined {
  return columns.get(field);
}

export const callColumnNames: readonly string[] = Array.from(columns.values(), ({ name }) => name);

/** What these columns store of a call, in the same order. */
export function callColumnValues(call: Call): ColumnValue[] {
  return Array.from(columns.values(), ({ field, read, none }) => {
    const value = read(call) ?? none ?? null;
    if (typeof value === 'boolean') return Number(value);
    return field.type === 'time' && value !== null ? Date.parse(String(value)) : value;
  });
}

/** Whether these columns store the same of both. */
export function haveSameColumns(one: Call, other: Call): boolean {
  for (const { read } of columns.values()) if (read(one) !== read(other)) return false;
  return true;
}

/** The value of the field that a column stores. */
export function fieldValueOf({ field, none }: FilterColumn, stored: unknown): unknown {
  if (stored === null || stored === none) return null;
  if (field.type === 'time') return new Date(stored as number).toISOString();
  return field.type === 'boolean' ? stored === 1 : stored;
}

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
