import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agentWith } from '../../../campaigns/voice/random-agent.ts';
import { flowSchema } from '../../../src/contract/agents/settings/flow.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import type { Engine } from '../../../src/voice/engines/engine.ts';
import { compileFlow } from '../../../src/voice/engines/flow/compile.ts';
import { createFlowEngine } from '../../../src/voice/engines/flow/engine.ts';
import { createPromptEngine, type PromptEngineOptions } from '../../../src/voice/engines/prompt.ts';
import { policyOf } from '../../../src/voice/policy.ts';
import type { RecordedEvent, Tools, Turn } from '../../../src/voice/ports.ts';
import { Session } from '../../../src/voice/session.ts';
import { noInput, TextOutput } from '../../../src/voice/text-output.ts';
import { defineTool } from '../../../src/voice/tools/definition.ts';
import { isUnfinished, type ToolCall, type ToolResult, type ToolTurn } from '../../../src/voice/tools/tool.ts';
import { type ScriptedEvent, type ScriptedLlm, scriptedLlm } from '../simulation/scripted-llm.ts';

const parameters = { type: 'object', properties: { day: { type: 'string' } } };
const tools = ['book', 'mail'].map((name) =>
  defineTool({ name, description: name, parameters, url: 'https://example.com/x' }),
);
const day = '{"day":"2026-12-24"}';
const say = (text: string): ScriptedEvent[] => [{ after: 100, text }];
const call = (...names: string[]): ScriptedEvent[] => names.map((tool) => ({ after: 50, tool, arguments: day }));
const fail = (): ScriptedEvent[] => [{ after: 100, failed: 'HTTP 500 of the model' }];

interface ChatOptions {
  readonly engine: (clock: VirtualClock, history: () => readonly Turn[]) => Engine;
  /** What was recorded before. */
  readonly before?: readonly Turn[];
  readonly resumedTurns?: readonly Turn[];
  readonly run?: Tools['run'];
}

/** A chat on a virtual clock, whose tools take 200 ms unless something else is said. */
function startChat({ engine, before = [], resumedTurns = [], run }: ChatOptions) {
  const clock = new VirtualClock();
  const agent = agentWith({ beginMessage: '', language: 'en' });
  const recognizer = { hasPartials: false, waitMs: 0, hasEcho: false };
  const turns: Turn[] = [...before];
  const events: RecordedEvent[] = [];
  const calls: [string, ToolCall][] = [];
  const session = new Session({
    clock,
    policy: policyOf(agent, { isChat: true, isFlow: false, recognizer }).turn,
    language: 'en',
    engine: engine(clock, () => turns),
    input: noInput,
    output: (outputEvents) => new TextOutput(outputEvents),
    newStages: () => [],
    tools: {
      run: (id, toolCall, onResult) => {
        calls.push([id, toolCall]);
        if (run !== undefined) return run(id, toolCall, onResult);
        const result: ToolResult = { isError: false, result: { variables: { [toolCall.name]: 'done' } } };
        clock.after(200, () => onResult(result));
      },
    },
    newToolCallId: () => `tcl_new_${calls.length}`,
    resumedTurns,
    recorder: {
      turn: (turn) => {
        turns[turn.index] = turn;
      },
      event: (event) => {
        if (!event.type.startsWith('speech_')) events.push(event);
      },
      ended: () => {},
    },
  });
  session.dispatch({ type: 'connected' });
  return { clock, session, turns, events, calls };
}

function promptEngine(
  replyTo: (count: number) => readonly ScriptedEvent[],
  options: Partial<PromptEngineOptions> = {},
): { engine: ChatOptions['engine']; llm: () => ScriptedLlm } {
  let made: ScriptedLlm | undefined;
  const engine: ChatOptions['engine'] = (clock, history) => {
    const llm = scriptedLlm(clock, () => replyTo(llm.requests.length));
    made = llm;
    return createPromptEngine({
      llm,
      clock,
      parameters: { model: 'a' },
      globalPrompt: '',
      prompt: 'It is {{current_date}}.',
      callStart: { now: 0, timeZone: 'UTC', language: 'en' },
      tools,
      isSpoken: false,
      history,
      agentVariables: { current_date: '2026-12-01' },
      ...options,
    });
  };
  return { engine, llm: () => made as ScriptedLlm };
}

const emptyTurn = {
  source: null,
  text: '',
  unspokenText: null,
  startMs: 10,
  endMs: 10,
  words: [],
  interrupted: false,
  latency: null,
  sources: [],
  toolCall: null,
} as const;
const callerTurn: Turn = { ...emptyTurn, index: 0, role: 'caller', text: 'Book it.' };

function toolTurn(index: number, name: string, result: unknown): Turn {
  const isFinished = result !== null;
  const given = { day: '2026-12-24' };
  const durationMs = isFinished ? 30 : 0;
  const toolCall = { id: `tcl_${index}`, name, arguments: given, result, isError: false, isExample: false, durationMs };
  return { ...emptyTurn, index, role: 'tool', toolCall };
}

describe('a prompt in a chat', () => {
  it('records the switch to a fallback model, and continues with it after the message', () => {
    const script = promptEngine((count) => (count === 1 ? fail() : say('Hello.')), { fallbackModels: ['b'] });
    let state: unknown;
    let usage: unknown;
    const first = startChat({
      ...script,
      engine: (clock, history) => {
        const engine = script.engine(clock, history);
        state = () => engine.state();
        usage = () => engine.usage?.();
        return engine;
      },
    });
    first.session.dispatch({ type: 'text', text: 'Hi.' });
    first.clock.advance(1000);
    assert.equal(first.turns[1]?.text, 'Hello.');
    assert.deepEqual(first.events, [{ type: 'provider_switched', capability: 'llm', from: 'a', to: 'b' }]);
    assert.deepEqual(
      (usage as () => { model: string; requests: number }[])().map(({ model, requests }) => [model, requests]),
      [
        ['a', 1],
        ['b', 1],
      ],
    );
    const saved: unknown = JSON.parse(JSON.stringify((state as () => unknown)()));
    const next = promptEngine(() => say('Yes.'), { fallbackModels: ['b'], state: saved });
    const second = startChat({ engine: next.engine });
    second.session.dispatch({ type: 'text', text: 'There?' });
    second.clock.advance(1000);
    assert.deepEqual(
      next.llm().requests.map(({ model }) => model),
      ['b'],
    );
  });

  it('continues from the result of a tool when the model then fails, without calling it again', () => {
    for (const fallbackModels of [[], ['b']]) {
      const { engine, llm } = promptEngine((count) => [call('book'), fail(), say('Booked.')][count - 1] ?? [], {
        fallbackModels,
      });
      const chat = startChat({ engine });
      chat.session.dispatch({ type: 'text', text: 'Book it.' });
      chat.clock.advance(2000);
      assert.deepEqual(
        chat.turns.map(({ role, text }) => `${role} ${text}`),
        ['caller Book it.', 'tool ', 'agent Booked.'],
      );
      assert.equal(chat.calls.length, 1);
      assert.deepEqual(llm().requests[2]?.messages, llm().requests[1]?.messages);
      assert.equal(llm().requests[2]?.messages.at(-1)?.role, 'tool');
    }
  });

  it('knows that a tool has returned although it returned nothing, at once', () => {
    const { engine } = promptEngine((count) => (count === 1 ? call('book') : say('Booked.')));
    const chat = startChat({ engine, run: (_id, _call, onResult) => onResult({ isError: false, result: null }) });
    chat.session.dispatch({ type: 'text', text: 'Book it.' });
    chat.clock.advance(2000);
    const { toolCall } = chat.turns[1] as Turn;
    assert.deepEqual([toolCall?.result, toolCall?.isError], [null, false]);
    assert.equal(isUnfinished(toolCall as ToolTurn), false);
  });

  it('gets what the agent was told during the call as system text', () => {
    const contexts: string[] = [];
    const { engine, llm } = promptEngine(() => say('Ok.'), { contexts: () => contexts });
    const chat = startChat({ engine });
    chat.session.dispatch({ type: 'text', text: 'One.' });
    chat.clock.advance(1000);
    contexts.push('The caller is a member.');
    chat.session.dispatch({ type: 'text', text: 'Two.' });
    chat.clock.advance(1000);
    assert.deepEqual(
      llm().requests.map(({ messages }) => messages.map(({ content }) => content)),
      [
        ['It is 2026-12-01.', 'One.'],
        ['It is 2026-12-01.', 'The caller is a member.', 'One.', 'Ok.', 'Two.'],
      ],
    );
  });
});

describe('a reply that was lost', () => {
  it('continues after the tools that have finished, and adds no second turn of the caller', () => {
    const { engine, llm } = promptEngine(() => say('Booked.'));
    const before = [callerTurn, toolTurn(1, 'book', { variables: { table: 7 } })];
    let made: Engine | undefined;
    const chat = startChat({
      engine: (clock, history) => {
        made = engine(clock, history);
        return made;
      },
      before,
      resumedTurns: before.slice(1),
    });
    chat.session.dispatch({ type: 'text', text: 'Book it.', isRecorded: true });
    assert.deepEqual(made?.collected(), { table: 7 });
    chat.clock.advance(1000);
    assert.deepEqual(chat.calls, []);
    assert.deepEqual(
      llm().requests.map(({ messages }) => messages.slice(1)),
      [
        [
          { role: 'user', content: 'Book it.' },
          { role: 'assistant', content: '', toolCalls: [{ id: 'tcl_1', name: 'book', arguments: day }] },
          { role: 'tool', toolCallId: 'tcl_1', content: '{"variables":{"table":7}}' },
        ],
      ],
    );
  });

  it('repeats a tool without a result under its id and index, before the model is asked', () => {
    const { engine, llm } = promptEngine(() => say('Booked.'));
    const before = [callerTurn, toolTurn(1, 'mail', 'sent'), toolTurn(2, 'book', null)];
    const chat = startChat({ engine, before, resumedTurns: before.slice(1) });
    chat.session.dispatch({ type: 'text', text: 'Book it.', isRecorded: true });
    assert.equal(llm().requests.length, 0);
    chat.clock.advance(1000);
    assert.deepEqual(chat.calls, [['tcl_2', { name: 'book', arguments: { day: '2026-12-24' } }]]);
    assert.deepEqual(
      chat.events.map(({ type }) => type),
      ['tool_returned'],
    );
    const { toolCall, startMs, endMs } = chat.turns[2] as Turn;
    assert.deepEqual([toolCall?.durationMs, startMs, endMs], [200, 10, 210]);
    assert.deepEqual(
      llm()
        .requests[0]?.messages.slice(1)
        .map(({ role, content }) => `${role} ${content}`),
      ['user Book it.', 'assistant ', 'tool sent', 'assistant ', 'tool {"variables":{"book":"done"}}'],
    );
  });

  it('answers the same call of a tool from the transcript once, and a further one anew', () => {
    const { engine } = promptEngine((count) => (count <= 2 ? call('book') : say('Booked.')));
    const before = [callerTurn, toolTurn(1, 'book', 'ok')];
    const chat = startChat({ engine, before, resumedTurns: before.slice(1) });
    chat.session.dispatch({ type: 'text', text: 'Book it.', isRecorded: true });
    chat.clock.advance(2000);
    assert.equal(chat.calls.length, 1);
  });

  it('takes the results of a flow’s tools from the transcript', () => {
    const flow = {
      skills: [
        { id: 'ask', type: 'ask', text: 'Yes?', as: 'text', variable: 'wish', next: 'book', otherwise: 'end' },
        { id: 'book', type: 'tool', tool: 'book', arguments: { day: '2026-12-24' }, next: 'end', otherwise: 'end' },
        { id: 'end', type: 'end', text: 'Booked.' },
      ],
    };
    const compiled = compileFlow(flowSchema.parse(flow), { language: 'en' });
    const before = [{ ...callerTurn, text: 'A table.' }, toolTurn(1, 'book', 'ok')];
    const engineFrom = (state?: unknown) =>
      createFlowEngine({ flow: compiled, beginMessage: null, now: () => 0, state });
    const opened = engineFrom();
    const ignored = { text() {}, tool() {}, end() {}, failed() {}, warn() {}, knowledge() {}, switched() {} };
    opened.reply({ turn: 1, kind: 'begin', words: '' }, ignored);
    opened.accept(1);
    for (const resumedTurns of [[], before.slice(1)]) {
      const chat = startChat({ engine: () => engineFrom(opened.state()), before, resumedTurns });
      chat.session.dispatch({ type: 'text', text: 'A table.', isRecorded: true });
      chat.clock.advance(2000);
      assert.equal(chat.calls.length, resumedTurns.length === 0 ? 1 : 0);
      assert.ok(chat.turns.some(({ text }) => text === 'Booked.'));
    }
  });
});
