import { latencyStages } from '../../../contract/calls/latency.ts';
import type { Value } from '../../../storage/database.ts';
import type { EndedCallDetails } from '../../area.ts';

/** The columns that follow from the turns and tools of a call, which do not change after its end. */
export const turnColumnNames = [
  'agent_turns',
  'caller_turns',
  'tool_calls',
  'tool_errors',
  'latency_turns',
  'latencies',
] as const;

/** Stands for a stage that was not measured. */
export const notMeasured = -1;
const maxLatencyMs = 2 ** 31 - 1;

/** What these columns store, in the same order. */
export function turnColumnValues({ turns, toolResults }: EndedCallDetails): Value[] {
  const latencies = turns.flatMap(({ role, latency }) => (role === 'agent' && latency !== null ? [latency] : []));
  return [
    turns.filter(({ role }) => role === 'agent').length,
    turns.filter(({ role }) => role === 'caller').length,
    toolResults.length,
    toolResults.filter(({ isError }) => isError).length,
    latencies.length,
    packed(latencies),
  ];
}

type Latency = NonNullable<EndedCallDetails['turns'][number]['latency']>;

function packed(latencies: readonly Latency[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(latencyStages.length * latencies.length * 4));
  let place = 0;
  for (const { name } of latencyStages) {
    for (const latency of latencies) {
      bytes.setInt32(place, Math.min(latency[name] ?? notMeasured, maxLatencyMs), true);
      place += 4;
    }
  }
  return new Uint8Array(bytes.buffer);
}

/** The part of `latencies` with one stage, in SQL. */
export function stageSql(index: number): string {
  return `substr(latencies, 1 + ${index} * 4 * CAST(latency_turns AS INTEGER), 4 * CAST(latency_turns AS INTEGER))`;
}
