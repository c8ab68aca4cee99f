import type { Call } from '../../../contract/calls/call.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import { distribution, type Histogram } from '../../../voice/latency.ts';

const stages = [
  'e2eMs',
  'endpointingMs',
  'sttMs',
  'knowledgeMs',
  'llmFirstTokenMs',
  'ttsFirstAudioMs',
  'ownMs',
] as const satisfies readonly (keyof NonNullable<Turn['latency']>)[];

/** What the replies of a call took, by stage. A stage that was never measured is missing. */
export type ReplyTimes = { readonly agentTurns: number } & { readonly [Stage in (typeof stages)[number]]?: Histogram };

export const noReplies: ReplyTimes = { agentTurns: 0 };

/** With these turns. */
export function addReplyTimes(times: ReplyTimes, turns: readonly Pick<Turn, 'role' | 'latency'>[]): ReplyTimes {
  const sum: { -readonly [Key in keyof ReplyTimes]: ReplyTimes[Key] } = { ...times };
  for (const { role, latency } of turns) {
    if (role === 'agent') sum.agentTurns += 1;
    for (const stage of stages) {
      const ms = latency?.[stage] ?? null;
      if (ms !== null) sum[stage] = counted(sum[stage] ?? [], ms);
    }
  }
  return sum;
}

function counted(histogram: Histogram, ms: number): Histogram {
  const place = histogram.findIndex(([known]) => known >= ms);
  if (place === -1) return [...histogram, [ms, 1]];
  const [known, count] = histogram[place] as Histogram[number];
  return known === ms ? histogram.with(place, [ms, count + 1]) : histogram.toSpliced(place, 0, [ms, 1]);
}

/** The latency of the call; null until a reply has been measured. */
export function latencyOf({ agentTurns, ...times }: ReplyTimes): Call['latency'] {
  const of = (stage: (typeof stages)[number]) => distribution(times[stage] ?? []);
  const e2eMs = of('e2eMs');
  if (e2eMs === null) return null;
  return {
    turns: agentTurns,
    e2eMs,
    endpointingMs: of('endpointingMs'),
    sttMs: of('sttMs'),
    knowledgeMs: of('knowledgeMs'),
    llmFirstTokenMs: of('llmFirstTokenMs'),
    ttsFirstAudioMs: of('ttsFirstAudioMs'),
    ownMs: of('ownMs'),
  };
}
