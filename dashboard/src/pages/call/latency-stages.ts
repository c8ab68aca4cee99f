import type { TurnLatency } from '../../../../sdk/src/index.ts';

/** The parts of a reply, in the order in which they happen. */
export const stages = [
  { name: 'endpointing', field: 'endpointingMs' },
  { name: 'stt', field: 'sttMs' },
  { name: 'llm', field: 'llmFirstTokenMs' },
  { name: 'tts', field: 'ttsFirstAudioMs' },
  { name: 'own', field: 'ownMs' },
] as const;

export type StageName = (typeof stages)[number]['name'] | 'rest';

export interface Segment {
  readonly name: StageName;
  readonly ms: number;
}

/**
 * What a reply consists of. Speech is recognized while the agent waits for its end: what the two share counts once. What
 * was not measured is shown as "rest", so that the bar is as long as the reply took.
 */
export function segmentsOf(latency: TurnLatency): readonly Segment[] {
  const { e2eMs, sttMs } = latency;
  const measured = stages.map(({ field }) => latency[field] ?? 0).reduce((sum, ms) => sum + ms, 0);
  const rest = (e2eMs ?? measured) - measured;
  const sharedMs = Math.min(Math.max(0, -rest), sttMs ?? 0);
  const segments: Segment[] = stages.flatMap(({ name, field }) => {
    const ms = latency[field];
    if (ms === null) return [];
    return [{ name, ms: name === 'endpointing' ? Math.max(0, ms - sharedMs) : ms }];
  });
  return rest > 0 ? [...segments, { name: 'rest', ms: rest }] : segments;
}

/** The length of a bar: the total, or the sum of its parts if that is more. */
export function lengthOf(latency: TurnLatency): number {
  const sum = segmentsOf(latency).reduce((total, { ms }) => total + ms, 0);
  return Math.max(sum, latency.e2eMs ?? 0);
}
