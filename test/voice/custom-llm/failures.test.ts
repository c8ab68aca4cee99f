import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CustomCall } from './custom-call.ts';
import { echoServer, type Received, type ServerDouble } from './server-double.ts';

/** A server that is strict or not, and does this when it is asked. */
function asked(act: (frame: Received, server: ServerDouble) => void, isStrict = false): CustomCall {
  const echo = echoServer(null, '');
  const call = new CustomCall({
    ...echo,
    received(frame, server) {
      if (frame.interaction_type === 'response_required') act(frame, server);
    },
  });
  call.server.isStrict = isStrict;
  call.pass(100);
  return call;
}

describe('A custom LLM server that makes mistakes', () => {
  test('never responds: fallback sentences, and the third failed reply ends the call', () => {
    const call = asked(() => {});
    for (let turn = 1; turn <= 3; turn += 1) call.say('Hello?', 25_000);
    assert.equal(call.call.endReason, 'llm_failed');
    assert.equal(call.call.turns.filter(({ source }) => source === 'fallback').length, 2);
  });

  test('responds twice: the second response is stale, and not said', () => {
    const call = asked(({ response_id }, server) => {
      server.respond(response_id, 'First.');
      server.respond(response_id, 'Second.');
    });
    call.say('Hello?', 10_000);
    assert.deepEqual(call.said.at(-1), ['agent', 'First.']);
    assert.deepEqual(call.codes, ['STALE_RESPONSE_ID']);
    assert.deepEqual(call.server.of('error'), []);
    call.say('Again?', 10_000);
    assert.deepEqual(call.said.at(-1), ['agent', 'First.']);
  });

  test('responds to an id that is not required any more, or was never', () => {
    const call = asked(({ response_id = 0 }, server) => {
      server.respond(response_id - 1 || 99, 'Wrong.');
      server.respond(response_id, 'Right.');
    }, true);
    call.say('Hello?', 10_000);
    call.say('Again?', 10_000);
    assert.deepEqual(
      call.server.of('error').map(({ code, path }) => [code, path]),
      [
        ['STALE_RESPONSE_ID', 'response_id'],
        ['STALE_RESPONSE_ID', 'response_id'],
      ],
    );
    assert.ok(call.said.every(([, text]) => text !== 'Wrong.'));
  });

  test('a response that the caller has interrupted is no mistake', () => {
    const call = asked(({ response_id }, server) => {
      const words = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
      for (const [index, word] of words.entries()) {
        server.clock.after(index * 300, () => server.respond(response_id, `${word} `, { content_complete: false }));
      }
    });
    call.say('Count.', 3500);
    call.call.speak('Stop that now please');
    call.pass(1200);
    assert.deepEqual(call.warnings, []);
  });

  test('a response that does not go on is closed after 15 s, and reported', () => {
    const call = asked(({ response_id }, server) => server.respond(response_id, 'Well. ', { content_complete: false }));
    call.say('Hello?', 5000);
    const [request] = call.server.requests;
    // The response takes 5 ms to arrive.
    call.pass((request?.at ?? 0) + 15_004 - call.clock.now());
    assert.deepEqual(call.codes, []);
    call.pass(1);
    assert.deepEqual(call.codes, ['RESPONSE_NOT_CLOSED']);
    call.pass(3000);
    assert.equal(call.call.session.state, 'idle');
    assert.deepEqual(call.said.at(-1), ['agent', 'Well. ']);
  });

  test('empty and incomplete is no text yet: the reply fails in time', () => {
    const call = asked(({ response_id }, server) => server.respond(response_id, '', { content_complete: false }));
    call.say('Hello?', 25_000);
    assert.equal(call.call.turns.at(-1)?.source, 'fallback');
  });

  test('empty and complete means nothing to say', () => {
    const call = asked(({ response_id }, server) => server.respond(response_id, ''));
    call.say('Hello?', 5000);
    assert.deepEqual(call.said, [['caller', 'Hello?']]);
    assert.equal(call.call.session.state, 'idle');
    assert.deepEqual(call.codes, []);
  });

  test('floods: what is too much is dropped and reported once per second', () => {
    const call = asked(({ response_id }, server) => {
      for (let index = 0; index < 500; index += 1) server.respond(response_id, 'a', { content_complete: false });
    });
    call.say('Hello?', 4000);
    assert.deepEqual(call.codes, ['TOO_LARGE']);
    assert.match(call.warnings[0]?.message ?? '', /more than 200 frames in a second/);
    call.pass(60_000);
    assert.equal(call.call.session.state, 'idle');
  });

  test('floods without end: the call is over at once', () => {
    const call = asked((_frame, server) => {
      for (let index = 0; index < 3000; index += 1) server.send({ response_type: 'metadata', metadata: 1 });
    });
    call.say('Hello?', 4000);
    assert.equal(call.call.endReason, 'llm_failed');
    assert.match(call.failure ?? '', /more than 2000 frames in a second/);
  });

  test('sends 10 MB: the call ends and says why', () => {
    const call = asked((_frame, server) => {
      server.close(1009, 'the custom LLM server sent a frame of more than 1024 KiB');
    });
    call.say('Hello?', 4000);
    assert.equal(call.call.endReason, 'llm_failed');
    assert.equal(call.failure, 'the custom LLM server sent a frame of more than 1024 KiB');
  });

  const response = { response_type: 'response', response_id: 1, content: 'x', content_complete: true };
  const bad: [text: string | null, bytes: number, code: string, path: string][] = [
    ['x', 256 * 1024 + 1, 'TOO_LARGE', ''],
    [null, 256 * 1024 + 1, 'TOO_LARGE', ''],
    [JSON.stringify({ response_type: 'nonsense', content: 'あ'.repeat(20_001) }), 60_100, 'TOO_LARGE', 'content'],
    [`{"response_type":"metadata","metadata":${'['.repeat(64)}${']'.repeat(64)}}`, 168, 'TOO_LARGE', ''],
    [null, 10, 'UNKNOWN_TYPE', ''],
    ['{', 1, 'UNKNOWN_TYPE', ''],
    ['[]', 2, 'UNKNOWN_TYPE', ''],
    ['{"response_type": "nonsense"}', 29, 'UNKNOWN_TYPE', 'response_type'],
    ['{"response_type": "toString"}', 29, 'UNKNOWN_TYPE', 'response_type'],
    [JSON.stringify({ ...response, response_id: '1' }), 80, 'BAD_FIELD', 'response_id'],
    [JSON.stringify({ ...response, response_id: 1.5 }), 80, 'BAD_FIELD', 'response_id'],
    [JSON.stringify({ ...response, content: null }), 80, 'BAD_FIELD', 'content'],
    [JSON.stringify({ ...response, content_complete: 'yes' }), 80, 'BAD_FIELD', 'content_complete'],
    [
      JSON.stringify({ ...response, content_complete: undefined, response_id: 77 }),
      80,
      'BAD_FIELD',
      'content_complete',
    ],
    ['{"response_type": "config"}', 30, 'BAD_FIELD', 'config'],
    [
      '{"response_type": "update_agent", "agent_config": {"responsiveness": 2}}',
      80,
      'BAD_FIELD',
      'agent_config.responsiveness',
    ],
    ['{"response_type": "tool_call_result", "tool_call_id": "a", "content": ""}', 80, 'BAD_FIELD', 'tool_call_id'],
    [JSON.stringify({ ...response, response_id: 77 }), 80, 'STALE_RESPONSE_ID', 'response_id'],
  ];

  test('in strict mode each bad frame is reported to it, by the first thing that is wrong', () => {
    const call = asked(() => {}, true);
    for (const [text, bytes, code, path] of bad) {
      call.server.received.length = 0;
      call.server.sendText(text, bytes);
      call.pass(20);
      const [error, ...others] = call.server.of('error');
      assert.deepEqual([error?.code, error?.path], [code, path], text ?? 'binary');
      assert.deepEqual(others, []);
    }
    assert.deepEqual(
      call.codes,
      bad.map(([, , code]) => code),
    );
  });

  test('without strict mode the same goes to the events of the call alone', () => {
    const call = asked(() => {});
    for (const [text, bytes] of bad) call.server.sendText(text, bytes);
    call.pass(20);
    assert.deepEqual(
      call.codes,
      bad.map(([, , code]) => code),
    );
    assert.deepEqual(call.server.of('error'), []);
  });

  test('the twentieth closes a strict connection with 1008, and the call', () => {
    const call = asked(() => {}, true);
    for (let index = 1; index <= 19; index += 1) call.server.sendText('{');
    call.pass(20);
    assert.equal(call.call.endReason, null);
    call.server.sendText('{');
    call.pass(20);
    assert.equal(call.call.endReason, 'llm_failed');
    assert.deepEqual(call.server.closedWith, [1008]);
    assert.equal(call.codes.length, 20);
  });

  test('without strict mode the call goes on, and its events do not fill up', () => {
    const call = asked(({ response_id }, server) => server.respond(response_id, 'Fine.'));
    for (let index = 1; index <= 150; index += 1) call.server.sendText('{');
    call.pass(2000);
    assert.equal(call.codes.length, 20);
    assert.match(call.warnings.at(-1)?.message ?? '', /further bad frames are not reported/);
    call.say('Hello?', 8000);
    assert.deepEqual(call.said.at(-1), ['agent', 'Fine.']);
  });
});

describe('What a custom LLM server does on its own', () => {
  test('an interrupt takes the floor from the caller, and is a turn of the agent', () => {
    const call = asked(() => {});
    call.call.speak('I would like to tell you a very long story about my holidays in the mountains');
    call.pass(2000);
    const interrupt = { response_type: 'agent_interrupt', interrupt_id: 1, no_interruption_allowed: true };
    call.server.send({ ...interrupt, content: 'Sorry, ', content_complete: false });
    call.pass(100);
    assert.equal(call.call.session.state, 'caller');
    call.server.send({ ...interrupt, content: 'the shop is closing.', content_complete: true });
    call.pass(10);
    assert.equal(call.call.session.state, 'thinking');
    call.pass(4000);
    const interrupted = call.call.turns.find(({ role }) => role === 'agent');
    assert.deepEqual([interrupted?.text, interrupted?.source], ['Sorry, the shop is closing.', 'engine']);
  });

  test('an interrupt before the response does not replace it, and one that hangs up ends the call', () => {
    const call = asked(({ response_id }, server) => {
      const interrupt = { response_type: 'agent_interrupt', content_complete: true };
      server.send({ ...interrupt, interrupt_id: 1, content: 'Let me see.' });
      server.clock.after(2500, () => server.respond(response_id, 'We have a table.'));
      server.clock.after(9000, () => server.send({ ...interrupt, interrupt_id: 2, content: 'Bye.', end_call: true }));
    });
    call.say('A table please.', 20_000);
    assert.deepEqual(
      call.said.map(([, text]) => text),
      ['A table please.', 'Let me see.', 'We have a table.', 'Bye.'],
    );
    assert.equal(call.call.endReason, 'agent_hangup');
  });

  test('tools that it runs are turns, and in the transcript that it asked for', () => {
    const call = new CustomCall({
      connected(server) {
        server.send({ response_type: 'config', config: { transcript_with_tool_calls: true } });
        server.respond(0, '');
      },
      received({ interaction_type: type, response_id }, server) {
        if (type !== 'response_required') return;
        const tool = { tool_call_id: 'call_9' };
        server.send({ response_type: 'tool_call_invocation', ...tool, name: 'book', arguments: '{"day":"Friday"}' });
        server.clock.after(1000, () => {
          server.send({ response_type: 'tool_call_result', ...tool, content: 'booked' });
          server.respond(response_id, 'Done.');
        });
      },
    });
    call.pass(100);
    call.say('Book Friday.', 10_000);
    const [tool] = call.call.turns.filter(({ role }) => role === 'tool');
    assert.deepEqual(
      { ...tool?.toolCall, id: '' },
      {
        id: '',
        name: 'book',
        arguments: { day: 'Friday' },
        result: 'booked',
        isError: false,
        isExample: false,
        durationMs: 1000,
      },
    );
    call.say('Thanks.', 4000);
    const [, second] = call.server.requests;
    assert.deepEqual(
      second?.transcript_with_tool_calls?.map(({ role }) => role),
      ['user', 'tool_call_invocation', 'tool_call_result', 'agent', 'user'],
    );
    assert.deepEqual(
      second?.transcript?.map(({ role }) => role),
      ['user', 'agent', 'user'],
    );
  });

  test('a tool without a result keeps nobody waiting, and is a failed one after 30 s', () => {
    const call = asked(({ response_id }, server) => {
      server.send({ response_type: 'tool_call_invocation', tool_call_id: 't', name: 'look', arguments: '' });
      server.respond(response_id, 'Well.');
    });
    call.say('Hello?', 10_000);
    assert.deepEqual(call.said.at(-1), ['agent', 'Well.']);
    call.pass(30_000);
    const tool = call.call.turns.find(({ role }) => role === 'tool');
    assert.equal(tool?.toolCall?.isError, true);
    assert.equal(tool?.toolCall?.durationMs, 30_000);
  });
});
