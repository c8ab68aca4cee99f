import type { Call } from '../../../contract/calls/call.ts';
import { Histogram } from '../../../http/histogram.ts';
import type { MetricSource } from '../../../http/metric-source.ts';
import type { TurnLatency } from '../../../voice/ports.ts';

/** Dense where a caller notices a difference. A reply takes 30 s at most, in which tools do not count. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 15, 30];

/** The stages of a reply by the field that has their time. */
const stages = {
  e2eMs: 'e2e',
  endpointingMs: 'endpointing',
  sttMs: 'stt',
  knowledgeMs: 'knowledge',
  llmFirstTokenMs: 'llm_first_token',
  ttsFirstAudioMs: 'tts_first_audio',
  ownMs: 'own',
} as const satisfies Record<keyof TurnLatency, string>;

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
      for (const [field, stage] of Object.entries(stages)) {
        const ms = latency[field as keyof TurnLatency];
        if (ms !== null) histogram.observe(`${type} ${stage}`, () => ({ type, stage }), ms / 1000);
      }
    },
  };
}
