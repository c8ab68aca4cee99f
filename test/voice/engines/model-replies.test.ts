import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { messagesOf } from '../../../src/voice/engines/model/messages.ts';
import { ModelChain } from '../../../src/voice/engines/model/model-chain.ts';
import { ModelReplies, type ModelReplyOutput } from '../../../src/voice/engines/model/model-reply.ts';
import { defineTool } from '../../../src/voice/tools/definition.ts';
import type { ToolResult } from '../../../src/voice/tools/tool.ts';
import { type ScriptedEvent, scriptedLlm } from '../simulation/scripted-llm.ts';

const parameters = { type: 'object', properties: {} };
const tools = ['book', 'cancel'].map((name) =>
  defineTool({ name, description: name, parameters, url: 'https://example.com/x' }),
);

function started(replyTo: (count: number) => readonly ScriptedEvent[]) {
  const clock = new VirtualClock();
  const llm = scriptedLlm(clock, () => replyTo(llm.requests.length));
  const replies = new ModelReplies(new ModelChain({ llm, clock, parameters: { model: 'm' } }));
  const heard: string[] = [];
  const results: ((result: ToolResult) => void)[] = [];
  const output: ModelReplyOutput = {
    text: (text) => heard.push(text),
    tool: ({ name }, onResult) => {
      heard.push(name);
      results.push(onResult);
    },
    end: (own) => heard.push(`end ${own?.name ?? ''}`),
    failed: (detail) => heard.push(`failed: ${detail}`),
    switched: () => {},
  };
  const request = (words: string) => {
    const messages = () => messagesOf([], words);
    return replies.request({ messages, tools, builtInTools: [] }, output);
  };
  return { clock, llm, heard, results, request };
}

const done: ToolResult = { isError: false, result: { ok: true } };

describe('replies of a model', () => {
  it('run the tools of one round together, and continue with all results', () => {
    const both: ScriptedEvent[] = [
      { after: 1, tool: 'book', arguments: '' },
      { after: 1, tool: 'cancel', arguments: '{}' },
    ];
    const { clock, llm, heard, results, request } = started((count) =>
      count === 1 ? both : [{ after: 1, text: 'Ok.' }],
    );
    request('Change it.');
    clock.advance(100);
    assert.deepEqual([heard, llm.requests.length], [['book', 'cancel'], 1]);
    results[1]?.({ isError: true, code: 'timeout', message: 'too slow' });
    clock.advance(100);
    assert.equal(llm.requests.length, 1);
    results[0]?.(done);
    clock.advance(100);
    assert.deepEqual(heard, ['book', 'cancel', 'Ok.', 'end ']);
    assert.deepEqual(
      llm.requests[1]?.messages.slice(-2).map(({ content }) => content),
      ['{"ok":true}', 'Error: timeout: too slow'],
    );
  });

  it('wait for a tool that an earlier reply has started', () => {
    const { clock, llm, results, request } = started((count) =>
      count === 1 ? [{ after: 1, tool: 'book', arguments: '{}' }] : [{ after: 1, text: 'Ok.' }],
    );
    const cancel = request('Book it.');
    clock.advance(100);
    cancel();
    const cancelSecond = request('Book it, and');
    cancelSecond();
    request('Book it, and hurry.');
    clock.advance(100);
    assert.equal(llm.requests.length, 1, 'the model is not asked while the tool runs');
    results[0]?.(done);
    clock.advance(100);
    assert.deepEqual(
      llm.requests.map(({ messages }) => messages.at(-1)?.content),
      ['Book it.', 'Book it, and hurry.'],
    );
  });

  it('fail after five rounds of tools', () => {
    const { clock, llm, heard, results, request } = started(() => [{ after: 1, tool: 'book', arguments: '{}' }]);
    request('Book it.');
    for (let round = 0; round < 9; round += 1) {
      clock.advance(100);
      results.pop()?.(done);
    }
    assert.deepEqual(heard.slice(-2), ['book', 'failed: the model calls too many tools']);
    assert.equal(llm.requests.length, 6);
  });
});

describe('the messages to a model', () => {
  const caller = (text: string) => ({ role: 'caller', text }) as const;
  const agent = (text: string) => ({ role: 'agent', text }) as const;

  it('have the words to answer once, also if they are in the transcript already', () => {
    const contents = (...given: Parameters<typeof messagesOf>) => messagesOf(...given).map(({ content }) => content);
    assert.deepEqual(contents([agent('Hi.')], 'One.'), ['Hi.', 'One.']);
    assert.deepEqual(contents([agent('Hi.'), caller('One.')], 'One.'), ['Hi.', 'One.']);
    assert.deepEqual(contents([agent('Hi.'), caller('One.'), caller('Two.')], 'One. Two.'), ['Hi.', 'One. Two.']);
    assert.deepEqual(contents([caller('One.'), agent('Hi.')], 'One.'), ['One.', 'Hi.', 'One.']);
    assert.deepEqual(contents([agent('Hi.'), caller('One.')], ''), ['Hi.', 'One.']);
    assert.deepEqual(contents([agent('Hi.'), caller('One.')], 'Two.'), ['Hi.', 'One.', 'Two.']);
  });

  it('have the words to answer before the tools that were called for them', () => {
    const toolCall = {
      id: 'tcl_1',
      name: 'book',
      arguments: {},
      result: 'ok',
      isError: false,
      isExample: false,
      durationMs: 5,
    };
    const tool = { role: 'tool', text: '', toolCall } as const;
    const waiting = { role: 'agent', source: 'waiting', text: 'One moment.' } as const;
    const roles = (...given: Parameters<typeof messagesOf>) => messagesOf(...given).map(({ role }) => role);
    assert.deepEqual(roles([caller('Book.'), tool], 'Book.'), ['user', 'assistant', 'tool']);
    assert.deepEqual(roles([caller('Book.'), caller('Now.'), tool], 'Book. Now.'), ['user', 'assistant', 'tool']);
    assert.deepEqual(roles([caller('Book.'), waiting, tool], 'Book.'), ['user', 'assistant', 'assistant', 'tool']);
    assert.deepEqual(roles([caller('Book.'), tool], 'Hurry.'), ['user', 'assistant', 'tool', 'user']);
    assert.deepEqual(roles([caller('Book.'), tool], 'Book. Hurry.'), ['user', 'assistant', 'tool', 'user']);
    assert.deepEqual(roles([caller('Book.'), tool, agent('Done.')], 'Book.'), [
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });
});
