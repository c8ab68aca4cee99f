import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inputMessages, outputMessages } from '../../src/tracing/content.ts';
import type { LlmMessage } from '../../src/voice/llm.ts';

const user = (content: string): LlmMessage => ({ role: 'user', content });
const read = (text: string | null) => JSON.parse(text ?? 'null');

describe('the messages in a trace', () => {
  it('are the newest that fit into 64 Ki characters, and long ones cost nothing', () => {
    const messages = [user('x'.repeat(10_000_000)), user('a'.repeat(50_000)), user('b'.repeat(10_000)), user('c')];
    for (const isRedacted of [false, true]) {
      const kept = read(inputMessages(messages, isRedacted));
      assert.deepEqual(
        kept.map(({ parts: [part] }: { parts: { content: string }[] }) => part?.content.length),
        [50_000, 10_000, 1],
      );
    }
    assert.equal(inputMessages([user('x'.repeat(100_000))], false), '[]');
  });

  it('have no personal data if they are redacted, in texts, keys that were pressed, arguments and results', () => {
    const messages: LlmMessage[] = [
      user('hanako@example.com'),
      user('1234#'),
      { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'pay', arguments: '{"card":4242424242424242}' }] },
      { role: 'tool', toolCallId: '1', content: 'paid by taro@example.com' },
      ...['{"digits":"w1w234"}', '{"digits":1234}', '{"digits":"1"}'].map(
        (given): LlmMessage => ({
          role: 'assistant',
          content: '',
          toolCalls: [{ id: '2', name: 'press_keys', arguments: given }],
        }),
      ),
    ];
    assert.deepEqual(
      read(inputMessages(messages, true)).map(({ parts }: { parts: object[] }) => parts[0]),
      [
        { type: 'text', content: '[EMAIL]' },
        { type: 'text', content: '[DIGITS]' },
        { type: 'tool_call', id: '1', name: 'pay', arguments: { card: '[CARD_NUMBER]' } },
        { type: 'tool_call_response', id: '1', response: 'paid by [EMAIL]' },
        ...['[DIGITS]', '[DIGITS]', '1'].map((digits) => ({
          type: 'tool_call',
          id: '2',
          name: 'press_keys',
          arguments: { digits },
        })),
      ],
    );
  });

  it('are left out if a model has nested its arguments deeper than can be read, and nothing is thrown', () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    for (const isRedacted of [false, true]) {
      const text = outputMessages('', [{ id: '1', name: 'pay', arguments: deep }], isRedacted);
      assert.ok(text === null || text.length <= 64 * 1024 + 2);
    }
  });
});
