import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildAgent } from '../../../src/areas/agents/agent.ts';
import { agent } from '../../../src/contract/agents/agent.ts';
import { createAgentBody } from '../../../src/contract/agents/requests.ts';

const identity = { id: 'agt_1', workspaceId: 'ws_1', createdAt: '2026-11-15T09:30:00.000Z' };

/** All fields, with the keys of each object in reverse order. */
const everything = {
  agentSettings: { z: 1, a: { y: [-0, null] } },
  agentVariables: [{ name: 'shop', value: '銀座店' }],
  agentGlobalPrompt: 'p',
  startSkillId: 's',
  dataStorageSetting: 'everything',
  webhookEvents: ['call_ended'],
  webhookUrl: 'https://example.com/hook',
  postCallAnalysisData: [{ options: ['a'], description: 'd', type: 'enum', name: 'n' }],
  pronunciationDictionary: [{ isRegex: false, replace: 'b', find: 'a' }],
  adaptiveSpeechRate: { windowSize: 3, maxSpeed: 1.3, minSpeed: 0.8, enabled: true },
  responseEngine: { llmWebsocketUrl: 'wss://example.com', model: 'm', prompt: 'p', type: 'custom_llm' },
  boostedKeywords: ['k'],
  voiceSpeed: 1.1,
  beginMessage: 'hello',
  language: 'en',
  voiceId: 'v',
  name: 'n',
  unknown: 'left out',
};

describe('a new agent', () => {
  const requests = [
    { name: 'n', voiceId: 'v' },
    everything,
    { ...everything, agentSettings: null },
    { name: 'n', voiceId: 'v', prompt: 'p', responseEngineType: 'single_prompt', llmModel: 'm', volume: -0 },
  ];
  for (const [index, request] of requests.entries()) {
    it(`has all fields of the contract, in its order (${index + 1})`, () => {
      const built = JSON.stringify(buildAgent(createAgentBody.parse(request), identity));
      assert.equal(built, JSON.stringify(agent.parse(JSON.parse(built))));
    });
  }
});
