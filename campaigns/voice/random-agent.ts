import { type Agent, agent as agentSchema } from '../../src/contract/agents/agent.ts';
import type { SeededRandom } from '../../src/voice/simulation/random.ts';

const plain: Agent = {
  id: 'agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz',
  workspaceId: 'ws_01m2k7p9d40000h3v6s2q8e5j1tkcf',
  name: 'Random',
  version: 1,
  isPublished: true,
  versionDescription: null,
  responseEngine: { type: 'single_prompt', prompt: '', model: 'test-echo' },
  voiceId: 'voice',
  voiceModel: null,
  voiceTemperature: 1,
  voiceSpeed: 1,
  voiceEmotion: null,
  volume: 1,
  enableDynamicVoiceSpeed: false,
  fallbackVoiceIds: [],
  responsiveness: 1,
  interruptionSensitivity: 1,
  enableBackchannel: false,
  backchannelFrequency: 0.8,
  backchannelWords: [],
  reminderTriggerMs: 10_000,
  reminderMaxCount: 1,
  beginMessageDelayMs: 0,
  beginMessage: null,
  endCallAfterSilenceMs: 600_000,
  maxCallDurationMs: 3_600_000,
  language: 'en',
  sttMode: 'fast',
  sttProvider: 'auto',
  ttsProvider: 'auto',
  boostedKeywords: [],
  postCallAnalysisData: [],
  postCallAnalysisModel: 'gpt-5.4-mini',
  webhookUrl: null,
  webhookEvents: [],
  dataStorageSetting: 'everything',
  createdAt: '2026-01-05T01:00:00.000Z',
  updatedAt: '2026-01-05T01:00:00.000Z',
};

/** An agent with the given fields, and the defaults of the contract for the rest. */
export function agentWith(fields: Partial<Agent>): Agent {
  return agentSchema.parse({ ...plain, ...fields });
}

/** Every field that decides who may speak, over its whole range. */
export function randomAgent(random: SeededRandom): Agent {
  const share = () => random.pick([0, 0.1, 0.2, 0.5, 0.8, 1, random.next()]);
  const language = random.pick(['en', 'ja']);
  const text = language === 'ja' ? 'お電話ありがとうございます。' : 'Hello, how can I help you today?';
  return {
    ...plain,
    language,
    responsiveness: share(),
    interruptionSensitivity: share(),
    enableBackchannel: random.chance(0.5),
    backchannelFrequency: share(),
    reminderTriggerMs: random.pick([1000, 5000, 10_000]),
    reminderMaxCount: random.integer(0, 3),
    beginMessageDelayMs: random.pick([0, 0, 500, 5000]),
    beginMessage: random.pick([null, '', text, text]),
    endCallAfterSilenceMs: random.pick([10_000, 30_000, 60_000]),
    maxCallDurationMs: random.pick([60_000, 120_000, 600_000]),
    sttMode: random.pick(['fast', 'accurate']),
  };
}
