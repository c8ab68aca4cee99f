import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agentWith } from '../../../campaigns/voice/random-agent.ts';
import { createPromptEngine } from '../../../src/voice/engines/prompt.ts';
import { policyOf } from '../../../src/voice/policy.ts';
import type { RecordedEvent, Turn } from '../../../src/voice/ports.ts';
import { createOpenAiLlm } from '../../../src/voice/providers/openai/llm.ts';
import { Session } from '../../../src/voice/session.ts';
import { noInput, TextOutput } from '../../../src/voice/text-output.ts';
import { defineTool } from '../../../src/voice/tools/definition.ts';
import { type DoubleReply, startOpenAiDouble } from '../../providers/openai-double.ts';
import { CallTime } from '../../support/call-time.ts';

/** A model that stalls is given up sooner. */
const quickTime = () => new CallTime({ speed: 4 });

/** One message to an agent whose model is the double, and everything that comes of it. */
async function chat(replies: readonly DoubleReply[], fallbackModels: readonly string[] = []) {
  const double = await startOpenAiDouble();
  double.play(...replies);
  const llm = createOpenAiLlm({ apiKey: null, baseUrl: double.baseUrl, modelMap: new Map([['big', 'qwen3']]) });
  const turns: Turn[] = [];
  const events: RecordedEvent[] = [];
  const parameters = { type: 'object', properties: { day: { type: 'string' } } };
  const engine = createPromptEngine({
    llm,
    clock: quickTime(),
    parameters: { model: 'big' },
    fallbackModels,
    globalPrompt: '',
    prompt: 'You take bookings.',
    callStart: { now: 0, timeZone: 'UTC', language: 'en' },
    tools: [defineTool({ name: 'book', description: 'Books.', parameters, url: 'https://example.com/' })],
    isSpoken: false,
    history: () => turns,
  });
  let toolCalls = 0;
  let isSettled = (): void => {};
  const settled = new Promise<void>((resolve) => {
    isSettled = resolve;
  });
  const agent = agentWith({ beginMessage: '', language: 'en' });
  const recognizer = { hasPartials: false, waitMs: 0, hasEcho: false };
  const session = new Session({
    clock: new CallTime(),
    policy: policyOf(agent, { isChat: true, isFlow: false, recognizer }).turn,
    language: 'en',
    engine,
    input: noInput,
    output: (outputEvents) => new TextOutput(outputEvents),
    newStages: () => [],
    tools: {
      run: (_id, { arguments: given }, onResult) => {
        toolCalls += 1;
        onResult({ isError: false, result: given });
      },
    },
    newToolCallId: () => `tcl_${toolCalls}`,
    recorder: {
      turn: (turn) => {
        turns[turn.index] = turn;
      },
      event: (event) => {
        if (!event.type.startsWith('speech_')) events.push(event);
      },
      ended: () => {},
    },
    observe: (event) => {
      const isTimeout = event.type === 'timer' && event.name === 'reply';
      if (event.type === 'reply.end' || event.type === 'reply.failed' || isTimeout) isSettled();
    },
  });
  session.dispatch({ type: 'connected' });
  session.dispatch({ type: 'text', text: 'A table for Christmas Eve.' });
  await settled;
  session.dispatch({ type: 'hangup' });
  await llm.close();
  await double.close();
  const said = turns.map(({ role, text }) => `${role}: ${text}`);
  return { said, events, toolCalls, requests: double.requests, usage: engine.usage?.() ?? [] };
}

const book = { tools: [{ name: 'book', arguments: '{"day":"2026-12-24"}' }] };

describe('an agent whose model speaks OpenAI’s protocol', () => {
  it('calls a tool and replies with its result', async () => {
    const { said, requests, usage } = await chat([book, { text: 'Booked.' }]);
    assert.deepEqual(said, ['caller: A table for Christmas Eve.', 'tool: ', 'agent: Booked.']);
    assert.deepEqual(requests[1]?.body.messages, [
      ...((requests[0]?.body.messages ?? []) as unknown[]),
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'book', arguments: '{"day":"2026-12-24"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_0', content: '{"day":"2026-12-24"}' },
    ]);
    assert.deepEqual(usage, [
      {
        provider: 'openai',
        model: 'big',
        sentModel: 'qwen3',
        requests: 2,
        promptTokens: 240,
        cachedTokens: 200,
        completionTokens: 18,
      },
    ]);
  });

  it('survives one failure of the provider, and calls no tool twice', async () => {
    for (const failure of [{ status: 500 }, { hangUp: true }, { closeAfter: '' }] as DoubleReply[]) {
      const { said, toolCalls, requests } = await chat([failure, book, failure, { text: 'Booked.' }]);
      assert.deepEqual([said.at(-1), toolCalls, requests.length], ['agent: Booked.', 1, 4]);
    }
  });

  it('goes on with a fallback model if the first one stalls or is refused', async () => {
    for (const failure of [{ stallAfter: '' }, { stallAfter: ' ' }, { status: 401 }]) {
      const { said, events, requests } = await chat([failure, { text: 'Hello.' }], ['small']);
      assert.equal(said.at(-1), 'agent: Hello.');
      assert.deepEqual(events, [{ type: 'provider_switched', capability: 'llm', from: 'big', to: 'small' }]);
      assert.deepEqual(
        requests.map(({ body }) => body.model),
        ['qwen3', 'small'],
      );
    }
  });

  it('is asked once if its key is wrong', async () => {
    const { said, requests } = await chat([{ status: 401 }]);
    assert.deepEqual([said, requests.length], [['caller: A table for Christmas Eve.'], 1]);
  });
});
