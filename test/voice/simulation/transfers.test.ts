import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agentWith } from '../../../campaigns/voice/random-agent.ts';
import { flowSchema } from '../../../src/contract/agents/settings/flow.ts';
import type { SimulationScript } from '../../../src/contract/simulations/script.ts';
import { parseSteps } from '../../../src/contract/simulations/steps.ts';
import { exploreFlow } from '../../../src/voice/engines/flow/explore.ts';
import { prepareSimulation } from '../../../src/voice/simulation/prepare.ts';
import { runSimulation } from '../../../src/voice/simulation/simulation.ts';

const flow = {
  skills: [
    { id: 'ask', type: 'choose', text: 'What is it?', routes: [{ when: ['person'], next: 'go' }], otherwise: 'bye' },
    { id: 'go', type: 'transfer', transfer: 'desk', text: 'I will connect you.', otherwise: 'sorry' },
    { id: 'sorry', type: 'end', text: 'Nobody answers, sorry.' },
    { id: 'bye', type: 'end', text: 'Goodbye.' },
  ],
} as const;
const phone = { transfers: [{ name: 'desk', description: 'The front desk.', to: '+81312345678' }] };
const agent = agentWith({
  language: 'en',
  beginMessage: null,
  responseEngine: { type: 'conversation_flow' },
  agentSettings: { flow, phone },
});

type Tools = NonNullable<SimulationScript['tools']>;

function run(tools: Tools, steps: readonly string[], fields = agent) {
  const parsed = parseSteps(steps);
  assert.deepEqual(parsed.issues, []);
  return runSimulation(prepareSimulation(fields, { steps: [...steps], tools }, parsed.steps), 1);
}

const asked = ['say "a person"', 'expect agent says /connect you/', 'expect tool transfer_call {"name": "desk"}'];

describe('A simulated transfer', () => {
  it('ends the call if the script says so', () => {
    const tools = { transfer_call: { result: { transferred: true }, delayMs: 8000 } };
    const result = run(tools, [...asked, 'expect end transferred']);
    assert.deepEqual([result.failure, result.endReason], [null, 'transferred']);
  });

  it('takes the other route of the flow if it fails', () => {
    for (const script of [{ result: { transferred: false, reason: 'busy' } }, { error: 'no answer' }]) {
      const result = run({ transfer_call: script }, [
        ...asked,
        'expect agent says /Nobody answers/',
        'expect end agent_hangup',
      ]);
      assert.equal(result.failure, null);
    }
  });

  it('that is not in the script fails the run by name', () => {
    assert.match(run({}, [...asked, 'expect end transferred']).failure?.saw ?? '', /transfer_call/);
  });

  it('is not available for an agent without phone settings', () => {
    const web = { ...agent, agentSettings: { flow } };
    const result = run({}, ['say "a person"', 'expect agent says /Nobody answers/', 'expect end agent_hangup'], web);
    assert.equal(result.failure, null);
  });

  it('is explored both ways, and the scripts of both ends run', () => {
    const { ends, findings, coverage } = exploreFlow(flowSchema.parse(flow), { language: 'en', now: 0 });
    assert.deepEqual([findings, coverage.percent], [[], 100]);
    const reached = ends.map(({ skill, script }) => {
      const result = run((script.tools ?? {}) as Tools, script.steps);
      assert.equal(result.failure, null, JSON.stringify(script));
      return [skill, result.endReason];
    });
    assert.deepEqual(reached.toSorted(), [
      ['bye', 'agent_hangup'],
      ['go', 'transferred'],
      ['sorry', 'agent_hangup'],
    ]);
  });
});
