/** The fields that calls.search compares, besides those whose names are free. */
const names: ReadonlySet<string> = new Set([
  ...['type', 'direction', 'status', 'engine', 'endReason', 'endedBy', 'dataStorageSetting'],
  ...['analysis.status', 'analysis.sentiment', 'analysis.successful'],
  ...['agentId', 'agentVersion', 'externalId', 'phoneNumberId', 'batchId', 'from', 'to', 'durationMs'],
  ...['latency.e2eMs.p50', 'latency.e2eMs.p90', 'latency.e2eMs.p95', 'latency.e2eMs.p99'],
  ...['usage.llm.totalTokens', 'usage.knowledge.empty', 'createdAt', 'startedAt', 'endedAt'],
]);
const prefixes = ['analysis.data.', 'metadata.', 'variables.', 'collectedVariables.'];

/** Whether calls.search knows a field. A list of its own, so that the page need not load the schemas of the contract. */
export function callFields(name: string): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix) && name.length > prefix.length);
}

export const callFieldNames: readonly string[] = [...names];
