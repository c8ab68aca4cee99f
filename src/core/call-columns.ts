import { type CsvCell, csvLines } from './csv.ts';
import { zonedTimes } from './zoned-time.ts';

const latencyStages = [
  'e2eMs',
  'endpointingMs',
  'sttMs',
  'knowledgeMs',
  'llmFirstTokenMs',
  'ttsFirstAudioMs',
  'ownMs',
] as const;
const statistics = ['p50', 'p90', 'p95', 'p99', 'min', 'max', 'count'] as const;

const under = (parent: string, names: readonly string[]): string[] => names.map((name) => `${parent}.${name}`);

/** The columns of an exported call, by their path in it. Objects and lists are JSON. */
export const callColumnNames: readonly string[] = [
  ...['id', 'workspaceId', 'type', 'direction', 'status', 'agentId', 'agentVersion', 'isDraft', 'engine'],
  ...['phoneNumberId', 'from', 'to', 'batchId', 'workflowRunId', 'externalId'],
  ...['variables', 'collectedVariables', 'metadata', 'dataStorageSetting'],
  ...['createdAt', 'scheduledAt', 'startedAt', 'endedAt', 'durationMs', 'endReason', 'endedBy', 'endDetail'],
  ...['transcriptStatus', 'recording.status', 'recording.durationMs', 'recording.sizeBytes'],
  'latency.turns',
  ...latencyStages.flatMap((stage) => under(`latency.${stage}`, statistics)),
  ...under('usage.llm', ['model', 'promptTokens', 'cachedTokens', 'completionTokens', 'totalTokens']),
  ...['usage.stt.provider', 'usage.stt.audioMs', 'usage.tts.provider', 'usage.tts.characters'],
  ...['usage.carrier.provider', 'usage.carrier.billedMs'],
  ...under('usage.knowledge', ['searches', 'empty', 'timedOut']),
  'usage.breakdown',
  ...under('cost', ['currency', 'totalMicros', 'llmMicros', 'sttMicros', 'ttsMicros', 'carrierMicros']),
  ...under('cost', ['analysisMicros', 'pricesFrom', 'missing']),
  ...under('conversation', ['agentSpeechMs', 'callerSpeechMs', 'overlapMs', 'firstWordMs', 'deadAirMs']),
  ...under('conversation', ['longestSilenceMs', 'callerInterruptions', 'agentInterruptions']),
  ...under('conversation', ['falseInterruptions', 'reminders', 'waitingSentences', 'backchannels']),
  ...under('analysis', ['status', 'reason', 'revision', 'model', 'summary', 'successful', 'sentiment', 'data']),
  ...under('analysis', ['evidence', 'issues', 'promptTokens', 'completionTokens', 'durationMs', 'completedAt']),
  ...['knowledgeBases', 'notApplied', 'providerCallId', 'updatedAt'],
];

/** What is exported if no columns are named. */
export const defaultCallColumns: readonly string[] = [
  ...['id', 'createdAt', 'startedAt', 'durationMs', 'agentId', 'agentVersion', 'type', 'direction', 'from', 'to'],
  ...['status', 'endReason', 'endedBy', 'externalId', 'latency.e2eMs.p50', 'latency.e2eMs.p95'],
  ...['usage.llm.totalTokens', 'cost.totalMicros', 'cost.currency'],
  ...['analysis.status', 'analysis.successful', 'analysis.sentiment', 'analysis.summary'],
];

/** What follows is the name of one value, including dots. */
const valuePrefixes = ['analysis.data.', 'metadata.', 'variables.', 'collectedVariables.'];
const known = new Set(callColumnNames);

export function isCallColumn(name: string): boolean {
  return known.has(name) || prefixOf(name) !== undefined;
}

/** The value of a column: null if the call has none. */
export function callValue(call: object, column: string): unknown {
  const prefix = prefixOf(column);
  const path =
    prefix === undefined ? column.split('.') : [...prefix.split('.').slice(0, -1), column.slice(prefix.length)];
  let value: unknown = call;
  for (const name of path) {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    value = isObject ? (value as Record<string, unknown>)[name] : null;
  }
  return value ?? null;
}

/** Lines of a CSV file with these columns. Times have the offset of the time zone. */
export function callCsv(columns: readonly string[], timeZone: string) {
  const timeOf = zonedTimes(timeZone);
  const cellOf = (call: object, column: string): CsvCell => {
    const value = callValue(call, column);
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
    if (typeof value !== 'string') return JSON.stringify(value);
    return isTime(column) ? timeOf(value) : value;
  };
  return {
    head: csvLines([columns]),
    linesOf: (calls: readonly object[]): string =>
      csvLines(calls.map((call) => columns.map((column) => cellOf(call, column)))),
  };
}

function prefixOf(column: string): string | undefined {
  return valuePrefixes.find((prefix) => column.startsWith(prefix) && column.length > prefix.length);
}

function isTime(column: string): boolean {
  return prefixOf(column) === undefined && /(At|\.pricesFrom)$/.test(column);
}
