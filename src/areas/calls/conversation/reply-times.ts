import type { Call } from '../../../contract/calls/call.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import { Histogram } from '../../../http/histogram.ts';
import type { MetricSource } from '../../../http/metric-source.ts';
import { distribution, type Histogram as Times } from '../../../voice/latency.ts';
import type { TurnLatency } from '../../../voice/ports.ts';

/** The stages of a reply by the field that has their time. */
const stageNames = {
  e2eMs: 'e2e',
  endpointingMs: 'endpointing',
  sttMs: 'stt',
  knowledgeMs: 'knowledge',
  llmFirstTokenMs: 'llm_first_token',
  ttsFirstAudioMs: 'tts_first_audio',
  ownMs: 'own',
} as const satisfies Record<keyof TurnLatency, string>;

const stages = Object.keys(stageNames) as (keyof TurnLatency)[];

/** What the replies of a call took, by stage. A stage that was never measured is missing. */
export type ReplyTimes = { readonly agentTurns: number } & { readonly [Stage in keyof TurnLatency]?: Times };

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

function counted(histogram: Times, ms: number): Times {
  const place = histogram.findIndex(([known]) => known >= ms);
  if (place === -1) return [...histogram, [ms, 1]];
  const [known, count] = histogram[place] as Times[number];
  return known === ms ? histogram.with(place, [ms, count + 1]) : histogram.toSpliced(place, 0, [ms, 1]);
}

/** The latency of the call; null until a reply has been measured. */
export function latencyOf({ agentTurns, ...times }: ReplyTimes): Call['latency'] {
  const of = (stage: keyof TurnLatency) => distribution(times[stage] ?? []);
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

/** Dense where a caller notices a difference. A reply takes 30 s at most, in which tools do not count. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 15, 30];

export interface ReplyMetrics {
  readonly source: MetricSource;
  /** What a reply of the agent has taken. */
  observe(type: Call['type'], latency: TurnLatency): void;
}

export function createReplyMetrics(): ReplyMetrics {
  const histogram = new Histogram({
    name: 'call_reply_duration_seconds',
    help: 'What replies of agents took, by type of call and stage; e2e is all of it.',
    bounds,
  });
  return {
    source: histogram,
    observe: (type, latency) => {
      for (const field of stages) {
        const [ms, stage] = [latency[field], stageNames[field]];
        if (ms !== null) histogram.observe(`${type} ${stage}`, () => ({ type, stage }), ms / 1000);
      }
    },
  };
}
