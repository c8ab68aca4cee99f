import { dataStorageSettings } from '../agents/agent.ts';
import type { FieldCatalog, ValueField } from '../filter.ts';
import { analysisStatuses, sentiments } from './analysis.ts';
import { callStatuses, callTypes, directions, endedByValues, engineNames } from './call.ts';
import { callEndReasons } from './end-reasons.ts';

const oneOf = (values: readonly string[]): ValueField => ({ type: 'string', values });
const text: ValueField = { type: 'string' };
const number: ValueField = { type: 'number' };
const time: ValueField = { type: 'time' };

/** The fields of a call that are columns. */
export const callColumns: Readonly<Record<string, ValueField>> = {
  type: oneOf(callTypes),
  direction: oneOf(directions),
  status: oneOf(callStatuses),
  engine: oneOf(engineNames),
  endReason: oneOf(callEndReasons),
  endedBy: oneOf(endedByValues),
  dataStorageSetting: oneOf(dataStorageSettings),
  'analysis.status': oneOf(analysisStatuses),
  'analysis.sentiment': oneOf(sentiments),
  'analysis.successful': { type: 'boolean' },
  agentId: text,
  externalId: text,
  phoneNumberId: text,
  batchId: text,
  from: text,
  to: text,
  agentVersion: number,
  durationMs: number,
  'latency.e2eMs.p50': number,
  'latency.e2eMs.p90': number,
  'latency.e2eMs.p95': number,
  'latency.e2eMs.p99': number,
  'usage.llm.totalTokens': number,
  'usage.knowledge.empty': number,
  createdAt: time,
  startedAt: time,
  endedAt: time,
};

/** What follows is the name of a key, including dots. */
export const callValuePrefixes = ['analysis.data.', 'metadata.', 'variables.', 'collectedVariables.'] as const;

/** The fields of a call that all filters can name. */
export const callFields: FieldCatalog = (field) => {
  if (Object.hasOwn(callColumns, field)) return callColumns[field];
  const prefix = callValuePrefixes.find((each) => field.startsWith(each) && field.length > each.length);
  return prefix === undefined ? undefined : { type: 'any' };
};

/** What was said. Only calls.search can look for it. */
export const transcriptField = 'transcript';

/** The fields that calls can be searched by. Other filters are refused with 422 if they name the transcript. */
export const searchFields: FieldCatalog = (field) => (field === transcriptField ? { type: 'text' } : callFields(field));
