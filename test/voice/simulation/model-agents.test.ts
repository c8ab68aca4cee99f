import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildAgent } from '../../../src/areas/agents/agent.ts';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import { createAgent } from '../../../src/contract/agents/index.ts';
import type { Cassette } from '../../../src/contract/simulations/cassette.ts';
import type { SimulationScript } from '../../../src/contract/simulations/script.ts';
import { parseSteps } from '../../../src/contract/simulations/steps.ts';
import type { LlmRequest } from '../../../src/voice/llm.ts';
import { modelOn, prepareSimulation } from '../../../src/voice/simulation/prepare.ts';
import { runSimulation } from '../../../src/voice/simulation/simulation.ts';
import { recorded } from './recording.ts';
import { lastWords, type ScriptedEvent } from './scripted-llm.ts';

function agentWith(fields: Record<string, unknown>): Agent {
  const body = createAgent.body.parse({ name: 'Desk', voiceId: 'v', language: 'en-US', ...fields });
  return buildAgent(body, { id: 'agt_1', workspaceId: 'ws_1', createdAt: '2026-01-05T01:00:00.000Z' });
}

function replayed(agent: Agent, script: SimulationScript, cassette: Cassette) {
  return runSimulation(prepareSimulation(agent, script, parseSteps(script.steps).steps, modelOn(cassette)), 1);
}

const say = (text: string): ScriptedEvent[] => [{ after: 300, text }];
const texts = (turns: readonly { role: string; text: string }[]) => turns.map(({ role, text }) => `${role}: ${text}`);

describe('an agent of a language model in a simulation', () => {
  const tools = [
    {
      name: 'book',
      description: 'Books a table.',
      parameters: { type: 'object', properties: { people: { type: 'integer' } }, required: ['people'] },
      url: 'https://example.com/book',
      say: ['One moment.', 'Let me see.'],
    },
  ];
  const agent = agentWith({
    prompt: 'You take bookings for {{shop}}.',
    agentGlobalPrompt: 'Be brief.',
    llmModel: 'gpt-5.4-mini',
    agentSettings: { tools, llm: { temperature: 0.2 } },
  });
  const script = {
    variables: { shop: 'Ginza' },
    tools: { book: { result: { variables: { table: 7 } }, delayMs: 500 } },
    steps: [
      'expect agent says /Welcome/',
      'say "A table for four, please."',
      'expect tool book {"people": 4}',
      'expect variable table = 7',
      'expect agent says /table 7/',
      'say "Thank you, goodbye."',
      'expect agent says /Goodbye/',
      'expect end agent_hangup',
    ],
  };
  const replyTo = (request: LlmRequest): ScriptedEvent[] => {
    const last = request.messages.at(-1);
    if (last?.role === 'tool') return say('You have table 7.');
    if (lastWords(request) === '') return say('Welcome. How can I help?');
    if (/four/.test(lastWords(request))) return [{ after: 200, tool: 'book', arguments: '{"people":4}' }];
    return [...say('Goodbye.'), { after: 10, tool: 'end_call', arguments: '{}' }];
  };

  it('sends the prompts, the time, what was said and the tools', () => {
    const { result, requests } = recorded(agent, script, replyTo);
    assert.equal(result.failure, null, JSON.stringify(result, null, 1));
    const [opening, , afterTool, last] = requests;
    const systems = [
      { role: 'system', content: 'Be brief.\n\nYou take bookings for Ginza.' },
      { role: 'system', content: 'The current date and time is Monday, 2026-01-05, 01:00, in the time zone UTC.' },
    ];
    assert.deepEqual(opening?.messages.slice(0, 2), systems);
    assert.match(String(opening?.messages[2]?.content), /The call has just begun/);
    assert.deepEqual(
      [opening?.model, opening?.temperature, opening?.maxTokens, opening?.tools.map(({ name }) => name)],
      ['gpt-5.4-mini', 0.2, undefined, ['book', 'end_call', 'wait']],
    );
    assert.deepEqual(
      afterTool?.messages.slice(2).map(({ role, content }) => [role, content]),
      [
        ['assistant', 'Welcome. How can I help?'],
        ['user', 'A table for four, please.'],
        ['assistant', ''],
        ['tool', '{"variables":{"table":7}}'],
      ],
    );
    assert.deepEqual(
      last?.messages.slice(-4).map(({ role, content }) => [role, content]),
      [
        ['tool', '{"variables":{"table":7}}'],
        ['assistant', 'One moment.'],
        ['assistant', 'You have table 7.'],
        ['user', 'Thank you, goodbye.'],
      ],
    );
    assert.ok(texts(result.turns).includes('agent: One moment.'), 'the sentence of the tool is said');
  });

  it('passes on its cassette turn for turn, and fails by name after a change of the prompt', () => {
    const { result, cassette } = recorded(agent, script, replyTo);
    const again = replayed(agent, script, cassette);
    assert.deepEqual(again.turns, result.turns);
    assert.equal(again.failure, null);
    const changed = { ...agent, responseEngine: { ...agent.responseEngine, prompt: 'You sell shoes.' } };
    assert.deepEqual(replayed(changed, script, cassette).failure, {
      step: 0,
      expected: 'a recorded reply for every request to the model',
      saw: 'no recorded reply for the opening: the instructions changed since the recording',
    });
    const other = { ...script, steps: script.steps.map((step) => step.replace('goodbye', 'see you')) };
    const { failure } = replayed(agent, other, cassette);
    assert.equal(
      failure?.saw,
      'no recorded reply for "Thank you, see you.": the conversation differs from the recorded one',
    );
  });

  it('gives the model one chance to correct the arguments of a tool, and then says the fallback sentence', () => {
    const once = recorded(agent, { ...script, steps: script.steps.slice(0, 5) }, (request) => {
      const { content = '' } = request.messages.at(-1) ?? {};
      if (content.startsWith('Error: people')) return [{ after: 1, tool: 'book', arguments: '{"people":4}' }];
      return /four/.test(lastWords(request)) && !/table/.test(content.slice(0, 14))
        ? [{ after: 1, tool: 'book', arguments: '{"people":"four"}' }]
        : replyTo(request);
    });
    const failing = [
      'expect agent says /Welcome/',
      'say "A table for four, please."',
      'expect agent says /say that again/',
    ];
    assert.match(JSON.stringify(once.requests.map(({ messages }) => messages.at(-1))), /Error: people/);
    const always = recorded(agent, { ...script, steps: failing }, (request) =>
      lastWords(request) === '' ? replyTo(request) : [{ after: 1, tool: 'book', arguments: '[' }],
    );
    assert.equal(always.result.failure, null, JSON.stringify(always.result));
    assert.equal(always.requests.length, 3);
  });

  it('waits as long as the caller asked for, and reminds in the model’s own words', () => {
    const patient = { ...agent, reminderTriggerMs: 5000, reminderMaxCount: 1, beginMessage: 'Welcome.' };
    const steps = [
      'expect agent says /Welcome/',
      'say "One moment."',
      'pause 14000ms',
      'expect agent says /still there/',
    ];
    const { result, requests } = recorded(patient, { steps }, (request) =>
      request.messages.at(-1)?.role === 'system'
        ? say('Are you still there?')
        : [{ after: 100, tool: 'wait', arguments: '{"seconds":10}' }],
    );
    assert.equal(result.failure, null, JSON.stringify(result));
    assert.equal(requests.length, 2);
    const [caller, reminder] = result.turns.slice(-2);
    const quietMs = (reminder?.startMs ?? 0) - (caller?.endMs ?? 0);
    assert.ok(quietMs > 15_000 && quietMs < 18_000, `${quietMs} ms`);
    assert.equal(reminder?.source, 'reminder');
  });
});

describe('a flow that uses a language model in a simulation', () => {
  const routes = [{ name: 'book', description: 'The caller wants to book.', next: 'ask' }];
  const flow = {
    skills: [
      { id: 'talk', type: 'prompt', prompt: 'Help the caller of {{agent_name}}.', routes },
      {
        id: 'ask',
        type: 'choose',
        by: 'model',
        text: 'Lunch or dinner?',
        routes: [
          { when: ['lunch'], next: 'lunch' },
          { when: ['dinner'], next: 'dinner' },
        ],
        otherwise: 'lunch',
      },
      { id: 'lunch', type: 'end', text: 'See you at noon.' },
      { id: 'dinner', type: 'end', text: 'See you tonight.' },
    ],
  };
  const tools = [{ name: 'book', description: 'Books.', parameters: { type: 'object' }, url: 'https://example.com/b' }];
  const agent = agentWith({
    responseEngineType: 'conversation_flow',
    llmModel: 'gpt-5.4-mini',
    agentGlobalPrompt: 'Be brief.',
    agentSettings: { flow, tools },
    beginMessage: 'Hello.',
  });
  const script = {
    steps: [
      'say "What do you serve?"',
      'expect agent says /Noodles/',
      'say "I would like to come."',
      'expect agent says /Lunch or dinner/',
      'say "When it is dark."',
      'expect agent says /tonight/',
      'expect end agent_hangup',
    ],
  };
  const replyTo = (request: LlmRequest): ScriptedEvent[] => {
    if (request.tools[0]?.name === 'choose') return [{ after: 150, tool: 'choose', arguments: '{"route":2}' }];
    if (/serve/.test(lastWords(request))) return say('Noodles.');
    return [{ after: 100, tool: 'book_route', arguments: '{}' }];
  };

  it('takes the routes that the model chooses', () => {
    const { result, requests } = recorded(agent, script, replyTo);
    assert.equal(result.failure, null, JSON.stringify(result, null, 1));
    const [first, , choice] = requests;
    assert.equal(first?.messages[0]?.content, 'Be brief.\n\nHelp the caller of Desk.');
    assert.deepEqual(
      first?.tools.map(({ name }) => name),
      ['book', 'book_route', 'end_call'],
      'a route that is named like a tool gets another name',
    );
    assert.match(String(choice?.messages[0]?.content), /Lunch or dinner\?[\s\S]*1: lunch\n2: dinner/);
    assert.equal(choice?.messages.at(-1)?.content, 'When it is dark.');
  });

  it('passes on its cassette, and fails by name without it', () => {
    const { result, cassette } = recorded(agent, script, replyTo);
    assert.deepEqual(replayed(agent, script, cassette).turns, result.turns);
    assert.equal(replayed(agent, script, cassette).failure, null);
    const { failure } = replayed(agent, script, { ...cassette, replies: cassette.replies.slice(1) });
    assert.match(failure?.saw ?? '', /^no recorded reply for "What do you serve\?": the conversation differs/);
  });

  it('lets the words decide where the model cannot tell', () => {
    const steps = [...script.steps.slice(0, 4), 'say "Dinner."', 'expect agent says /tonight/'];
    for (const events of [say('I am not sure.'), [{ after: 10, failed: 'HTTP 500' }] as ScriptedEvent[]]) {
      const { result } = recorded(agent, { steps }, (request) =>
        request.tools[0]?.name === 'choose' ? events : replyTo(request),
      );
      assert.equal(result.failure, null, JSON.stringify(result));
    }
  });
});
