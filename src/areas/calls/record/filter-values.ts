import type { Call } from '../../../contract/calls/call.ts';
import { callColumns } from '../../../contract/calls/fields.ts';
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
