import type { Call } from '../../../../sdk/src/index.ts';

/** The values of the tiles, from the newest calls of a period. */
export interface CallSummary {
  readonly calls: number;
  /** How many ended with an error. */
  readonly failed: number;
  /** How many have an analysis that says whether they were successful. */
  readonly judged: number;
  readonly successful: number;
  /** The median of the calls' median reply times; null if none was measured. */
  readonly medianReplyMs: number | null;
}

export function summariseCalls(calls: readonly Pick<Call, 'status' | 'analysis' | 'latency'>[]): CallSummary {
  const results = calls.flatMap(({ analysis }) => analysis?.successful ?? []);
  const medians = calls.flatMap(({ latency }) => latency?.e2eMs?.p50 ?? []);
  return {
    calls: calls.length,
    failed: calls.filter(({ status }) => status === 'error').length,
    judged: results.length,
    successful: results.filter((isSuccessful) => isSuccessful).length,
    medianReplyMs: medianOf(medians),
  };
}

function medianOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
