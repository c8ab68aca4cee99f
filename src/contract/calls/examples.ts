import type { Call } from './call.ts';
import type { Turn } from './turn.ts';

/** What differs in a call that has just been created from one that is over, which the examples of its fields describe. */
export const newCallExample: Partial<Call> = {
  status: 'registered',
  collectedVariables: {},
  startedAt: null,
  endedAt: null,
  durationMs: null,
  endReason: null,
  endedBy: null,
  transcriptStatus: 'none',
  latency: null,
  access: {
    token: 'vat_…',
    expiresAt: '2026-11-15T09:32:03.702Z',
    liveUrl: '/live/v1/calls/call_01m7f8np1p0000f5kznwj47tan9zt2',
  },
  updatedAt: '2026-11-15T09:30:03.702Z',
};

const noSpeech = { unspokenText: null, words: [], interrupted: false, sources: [], toolCall: null };

/** A message and the reply to it. */
export const chatTurnsExample: Turn[] = [
  {
    index: 1,
    role: 'caller',
    source: null,
    text: '明日の15時に予約できますか。',
    startMs: 4210,
    endMs: 4210,
    latency: null,
    ...noSpeech,
  },
  {
    index: 2,
    role: 'agent',
    source: 'engine',
    text: '明日の15時ですね。お名前を教えていただけますか。',
    startMs: 4820,
    endMs: 5340,
    latency: {
      e2eMs: 610,
      endpointingMs: null,
      sttMs: null,
      knowledgeMs: null,
      llmFirstTokenMs: 604,
      ttsFirstAudioMs: null,
      ownMs: 6,
    },
    ...noSpeech,
  },
];
