import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildAgent } from '../../../src/areas/agents/agent.ts';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import { createAgent } from '../../../src/contract/agents/index.ts';
import type { Cassette } from '../../../src/contract/simulations/cassette.ts';
import type { SimulationScript } from '../../../src/contract/simulations/script.ts';
import { parseSteps } from '../../../src/contract/simulations/steps.ts';
import type { LlmRequest } from '../../../src/voice/llm.ts';
import { cassetteOfCall } from '../../../src/voice/simulation/from-call/cassette.ts';
import { type EndedCall, scriptOfCall } from '../../../src/voice/simulation/from-call/script.ts';
import { modelOn, prepareSimulation, socketOn } from '../../../src/voice/simulation/prepare.ts';
import { type RunResult, runSimulation } from '../../../src/voice/simulation/simulation.ts';
import { recorded } from './recording.ts';
import { lastWords, type ScriptedEvent } from './scripted-llm.ts';

function agentWith(fields: Record<string, unknown>): Agent {
  const body = createAgent.body.parse({ name: 'Desk', voiceId: 'v', language: 'en-US', ...fields });
  return buildAgent(body, { id: 'agt_1', workspaceId: 'ws_1', createdAt: '2026-01-05T01:00:00.000Z' });
}

function callOf({ turns, endReason }: RunResult, variables: EndedCall['variables'] = {}): EndedCall {
  const startedAt = '2026-01-05T01:00:00.000Z';
  return { agentId: 'agt_1', type: 'web', engine: 'prompt', language: 'en-US', startedAt, endReason, variables, turns };
}

function run(agent: Agent, script: SimulationScript, cassette?: Cassette) {
  const { steps } = parseSteps(script.steps);
  const llm = cassette === undefined ? null : modelOn(cassette);
  const socket = cassette === undefined ? null : socketOn(cassette);
  return runSimulation(prepareSimulation(agent, script, steps, llm, socket), 7);
}

const said = ({ turns }: RunResult) => turns.map(({ role, text, toolCall }) => `${role}: ${toolCall?.name ?? text}`);
const say = (text: string): ScriptedEvent[] => [{ after: 300, text }];

describe('a call of a language model as a script and a cassette', () => {
  const tools = [
    {
      name: 'book',
      description: 'Books a table.',
      parameters: { type: 'object', properties: { people: { type: 'integer' } }, required: ['people'] },
      url: 'https://example.com/book',
    },
  ];
  const fields = { prompt: 'You take bookings for {{shop}}.', llmModel: 'gpt-5.4-mini', agentSettings: { tools } };
  const agent = agentWith(fields);
  const replyTo = (request: LlmRequest): ScriptedEvent[] => {
    const last = request.messages.at(-1);
    const words = lastWords(request);
    if (last?.role === 'tool') return say('You have table 7. It is next to the window, with a view of the garden.');
    if (words === '') return say('Welcome. How can I help?');
    if (/four/.test(words)) return [...say('Let me see.'), { after: 10, tool: 'book', arguments: '{"people":4}' }];
    if (/smoking/.test(words)) return say('No, it is not.');
    return [...say('Goodbye.'), { after: 10, tool: 'end_call', arguments: '{}' }];
  };
  const { result } = recorded(
    agent,
    {
      variables: { shop: 'Ginza' },
      tools: { book: { result: { table: 7 }, delayMs: 500 } },
      steps: [
        'expect agent says /Welcome/',
        'pause 1200ms',
        'say "A table for \\"four\\", please."',
        'interrupt after 6 words "Is it smoking?"',
        'say "Thank you, goodbye."',
        'expect end agent_hangup',
      ],
    },
    replyTo,
  );
  const call = callOf(result, { shop: 'Ginza' });
  const script = scriptOfCall(call) as SimulationScript;

  it('repeats what the caller did, and expects what the agent did', () => {
    assert.equal(result.failure, null, JSON.stringify(result.failure));
    assert.deepEqual(script.variables, { shop: 'Ginza' });
    assert.equal(script.now, '2026-01-05T01:00:00.000Z');
    assert.deepEqual(script.tools, { book: [{ result: { table: 7 }, delayMs: 500 }] });
    const steps = script.steps.map((step) => step.replace(/\d{3,}ms/, '…ms'));
    assert.deepEqual(steps, [
      'expect agent says /Welcome\\. How can I help\\?/',
      'pause …ms',
      'say "A table for \\"four\\", please." for …ms',
      'expect tool book {"people":4}',
      'interrupt after 6 words "Is it smoking?"',
      'expect agent says /No, it is not\\./',
      'say "Thank you, goodbye." for …ms',
      'expect agent says /Goodbye\\./',
      'expect end agent_hangup',
    ]);
  });

  it('is the same conversation when it is simulated', () => {
    const { cassette, difference } = cassetteOfCall(agent, script, call);
    assert.equal(difference, null, JSON.stringify(difference));
    assert.deepEqual(said(run(agent, script, cassette)), said(result));
  });

  it('shows what other settings would have done, and names a prompt that is not on it', () => {
    const { cassette } = cassetteOfCall(agent, script, call);
    const uninterrupted = run(agentWith({ ...fields, interruptionSensitivity: 0 }), script, cassette);
    assert.ok(uninterrupted.turns.every(({ interrupted }) => !interrupted));
    const other = run(agentWith({ ...fields, prompt: 'You are rude.' }), script, cassette);
    assert.match(String(other.failure?.saw), /the instructions changed since the recording/);
  });

  it('contains no credential that was said', () => {
    const turns = call.turns.map((turn) => ({
      ...turn,
      text: turn.text.replace('No, it', 'Use sk-1234567890abc. It'),
    }));
    const { cassette } = cassetteOfCall(agent, script, { ...call, turns });
    assert.match(JSON.stringify(cassette), /Use \[SECRET\]/);
    assert.doesNotMatch(JSON.stringify(cassette), /sk-1234567890abc/);
  });

  it('needs no cassette if no model was used', () => {
    const echo = agentWith({ prompt: 'Hello.\nWho is there?\n[end]', llmModel: 'test-script' });
    const first = run(echo, { steps: ['say "Hi."', 'say "It is me."', 'say "Bye."', 'expect end agent_hangup'] });
    const again = scriptOfCall(callOf(first)) as SimulationScript;
    const repeated = run(echo, again);
    assert.deepEqual([repeated.failure, said(repeated)], [null, said(first)]);
  });

  it('ends as the caller ended it, and is not written if it is too long', () => {
    const hungUp = { ...call, endReason: 'caller_hangup' };
    assert.deepEqual(scriptOfCall(hungUp)?.steps.slice(-2), ['hang up', 'expect end caller_hangup']);
    assert.doesNotMatch(String(scriptOfCall({ ...call, endReason: 'api_end' })?.steps.at(-1)), /end/);
    const long = Array.from({ length: 100 }, () => call.turns).flat();
    assert.equal(scriptOfCall({ ...call, turns: long }), null);
  });
});

describe('a call of a custom LLM server as a script and a cassette', () => {
  it('is the same conversation when it is simulated, with the tools of the server', () => {
    const agent = agentWith({
      responseEngineType: 'custom_llm',
      responseEngine: { llmWebsocketUrl: 'wss://llm.example.com' },
    });
    const turnOf = (role: 'agent' | 'caller' | 'tool', text: string, startMs: number, rest: object = {}) =>
      ({
        index: 0,
        role,
        source: role === 'agent' ? 'engine' : null,
        text,
        unspokenText: null,
        startMs,
        endMs: startMs + 900,
        words: [],
        interrupted: false,
        latency: null,
        sources: [],
        toolCall: null,
        ...rest,
      }) as EndedCall['turns'][number];
    const toolCall = {
      id: 't1',
      name: 'look_up',
      arguments: { day: 1 },
      result: 'free',
      isError: false,
      durationMs: 9,
    };
    const turns = [
      turnOf('agent', 'Hello, this is the desk.', 500, { source: 'begin' }),
      turnOf('caller', 'Are you free on Monday?', 2500),
      turnOf('tool', '', 3800, { toolCall }),
      turnOf('agent', 'Yes, we are.', 4500),
      turnOf('caller', 'Thank you.', 6000),
      turnOf('agent', 'Goodbye.', 7500),
    ];
    const past = { turns, endReason: 'agent_hangup' } as unknown as RunResult;
    const call = { ...callOf(past), engine: 'custom_llm' };
    const script = scriptOfCall(call) as SimulationScript;
    const { cassette, difference } = cassetteOfCall(agent, script, call);
    assert.equal(difference, null, JSON.stringify(difference));
    assert.deepEqual(
      cassette.exchanges?.map(({ request, about }) => [request, about]),
      [
        ['connect', 'the connection'],
        ['response_required', '"Are you free on Monday?"'],
        ['response_required', '"Thank you."'],
      ],
    );
    assert.deepEqual(
      said(run(agent, script, cassette)),
      turns.map(({ role, text }) => `${role}: ${role === 'tool' ? 'look_up' : text}`),
    );
  });
});
