import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { scriptedLlm } from '../simulation/scripted-llm.ts';
import { SpokenCall } from '../spoken/spoken-call.ts';
import { prompted, settingsWith } from './chat.ts';
import { FakeKnowledge, type FakeKnowledgeOptions, hit } from './fake-knowledge.ts';

function startCall(fields: Partial<Agent>, options: FakeKnowledgeOptions = {}) {
  const clock = new VirtualClock();
  const knowledge = new FakeKnowledge(clock, { hits: [hit(1)], ...options });
  const llm = scriptedLlm(clock, () => [{ after: 100, text: 'Within two weeks.' }]);
  const call = new SpokenCall({ language: 'en', ...settingsWith(), ...fields }, { clock, engine: { llm, knowledge } });
  return { call, knowledge, llm };
}

const agentTurn = (call: SpokenCall) => call.turns.find((turn) => turn?.role === 'agent');

describe('knowledge in a spoken call', () => {
  it('is searched while the caller may still continue, and once for the same words', () => {
    const { call, knowledge } = startCall(prompted, { lexicalMs: 120 });
    call.speak('can i return the bag').until(() => agentTurn(call) !== undefined);
    const [requestedAt] = call.commandTimes('reply.request');
    const prepared = call.commandTimes('reply.prepare');
    assert.ok(prepared.length > 0);
    assert.deepEqual(
      knowledge.queries.map(({ words }) => words),
      ['can i return the bag'],
    );
    assert.ok((knowledge.startedAt[0] as number) < (requestedAt as number));
    const { latency, sources } = agentTurn(call) ?? {};
    assert.equal(sources?.length, 1);
    const waited = Math.max(0, (knowledge.startedAt[0] as number) + 120 - (requestedAt as number));
    assert.equal(latency?.knowledgeMs, waited);
    const { e2eMs, endpointingMs, sttMs, knowledgeMs, llmFirstTokenMs, ttsFirstAudioMs, ownMs } = latency ?? {};
    const parts = [endpointingMs, sttMs, knowledgeMs, llmFirstTokenMs, ttsFirstAudioMs, ownMs];
    const sum = parts.reduce<number>((total, part) => total + (part ?? 0), 0);
    assert.ok(sum <= (e2eMs as number));
  });

  it('is searched again if the caller continues, and the earlier search is stopped', () => {
    const { call, knowledge, llm } = startCall(prompted, { lexicalMs: 2000 });
    call
      .speak('can i return')
      .silence(400)
      .speak('the blue bag')
      .until(() => agentTurn(call) !== undefined);
    const words = knowledge.queries.map((query) => query.words);
    assert.equal(words.at(-1), 'can i return the blue bag');
    assert.equal(new Set(words).size, words.length);
    assert.ok(words.length > 1);
    assert.equal(knowledge.canceled, words.length);
    assert.equal(llm.requests.at(-1)?.messages.at(-1)?.content, 'can i return the blue bag');
  });

  it('is not searched with the result of an earlier turn, even for the same words', () => {
    const { call, knowledge } = startCall(prompted);
    const turns = () => call.turns.filter((turn) => turn?.role === 'agent').length;
    call.speak('opening hours').until(() => turns() === 1);
    call
      .wait(2000)
      .speak('opening hours')
      .until(() => turns() === 2);
    call
      .wait(2000)
      .speak('opening hours')
      .until(() => turns() === 3);
    assert.equal(knowledge.queries.length, 3);
    assert.equal(call.eventsOf('knowledge_searched').length, 3);
  });

  it('is what test-knowledge says, with its source', () => {
    const model = { responseEngine: { type: 'single_prompt', model: 'test-knowledge' } } as const;
    const { call } = startCall(model);
    call.speak('can i return the bag').until(() => agentTurn(call) !== undefined);
    assert.deepEqual([agentTurn(call)?.text, agentTurn(call)?.sources.length], ['Text 1.', 1]);
    assert.deepEqual(
      call.eventsOf('knowledge_searched').map(({ turnIndex, results }) => [turnIndex, results]),
      [[1, 1]],
    );
  });

  it('never costs a reply', () => {
    for (const options of [{ lexicalMs: null }, { isFailing: true }]) {
      const { call } = startCall(prompted, options);
      call.speak('can i return the bag').until(() => agentTurn(call) !== undefined);
      assert.equal(agentTurn(call)?.text, 'Within two weeks.');
      assert.equal(call.eventsOf('warning')[0]?.code, 'knowledge_unavailable');
    }
  });
});
