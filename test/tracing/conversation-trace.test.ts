import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SampledConversation } from '../../src/tracing/conversation-trace.ts';
import { newSpanId, traceIdsOf } from '../../src/tracing/ids.ts';
import type { Attributes, Span } from '../../src/tracing/span.ts';
import type { Llm, LlmEvents } from '../../src/voice/llm.ts';
import type { ToolResult } from '../../src/voice/tools/tool.ts';

function traced(content: { readonly isRedacted: boolean } | null = null) {
  const sent: { span: Span; content: Attributes }[] = [];
  let now = 0;
  const conversation = new SampledConversation({
    ids: traceIdsOf('call_1'),
    startedAt: 0,
    time: () => {
      now += 10;
      return now;
    },
    content,
    send: (span, attributes = {}) => sent.push({ span, content: attributes }),
    onClose: () => {},
  });
  return { conversation, sent };
}

describe('the trace of a conversation', () => {
  it('has a span for each tool, wherever it runs, from its call to its result', () => {
    const { conversation, sent } = traced();
    const tool = (toolCallId: string, name: string, isError: boolean) => {
      conversation.recorded({ type: 'tool_called', toolCallId, name });
      return () => conversation.recorded({ type: 'tool_returned', toolCallId, name, isError, durationMs: 10 });
    };
    const transferred = tool('1', 'transfer_call', false);
    const pressed = tool('2', 'press_keys', true);
    const booked = tool('3', 'book', true);
    let finish: (result: ToolResult) => void = () => {};
    const tools = conversation.tools({
      run: (_id, _call, onResult) => {
        finish = onResult;
      },
    });
    tools.run('3', { name: 'book', arguments: {} }, () => booked());
    finish({ isError: true, code: 'timeout', message: 'too late' });
    pressed();
    const turn = newSpanId();
    conversation.turn(turn, 1000);
    transferred();
    conversation.close();
    assert.deepEqual(
      sent.map(({ span: { name, parentId, startMs, endMs, attributes } }) => [
        name,
        parentId?.equals(turn),
        endMs > startMs,
        attributes['gen_ai.tool.call.id'],
        attributes['error.type'],
      ]),
      [
        ['execute_tool press_keys', true, true, '2', '_OTHER'],
        ['execute_tool book', true, true, '3', 'timeout'],
        ['execute_tool transfer_call', true, true, '1', null],
      ],
    );
  });

  it('reads and redacts what was said only when the span is sent, and not before the reply goes on', () => {
    const { conversation, sent } = traced({ isRedacted: true });
    let reads = 0;
    const messages = [
      {
        role: 'user' as const,
        get content() {
          reads += 1;
          return 'I am hanako@example.com';
        },
      },
    ];
    let events: LlmEvents | undefined;
    const llm: Llm = {
      provider: 'test',
      sentModel: (model) => model,
      reply: (_request, given) => {
        events = given;
        return () => {};
      },
    };
    const readsAtEnd: number[] = [];
    conversation.llm(llm).reply(
      { model: 'm', messages, tools: [] },
      {
        text: () => {},
        tool: () => {},
        usage: () => {},
        done: () => readsAtEnd.push(reads),
        failed: () => assert.fail(),
      },
    );
    events?.text('Hello');
    events?.done();
    assert.deepEqual(readsAtEnd, [0]);
    // The engine goes on with its list.
    messages.length = 0;
    conversation.close();
    const content = sent[0]?.content ?? {};
    assert.match(String(content['gen_ai.input.messages']), /I am \[EMAIL\]/);
    assert.match(String(content['gen_ai.output.messages']), /Hello/);
  });
});
