import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import type { ToolScripts } from '../../../src/voice/simulation/scripted-tools.ts';
import { CustomCall, startedAt } from './custom-call.ts';
import { echoServer } from './server-double.ts';

describe('A call on a custom LLM', () => {
  test('says what the server sends, and sends it the whole conversation', () => {
    const call = new CustomCall(echoServer());
    call.pass(3000);
    assert.deepEqual(call.said, [['agent', 'Hello.']]);
    assert.equal(call.call.turns[0]?.source, 'begin');
    call.say('I need a table.', 8000);
    assert.deepEqual(call.said.slice(1), [
      ['caller', 'I need a table.'],
      ['agent', 'You said: I need a table..'],
    ]);
    const [request, ...others] = call.server.requests;
    assert.deepEqual(others, []);
    const { at, ...frame } = request ?? { at: 0 };
    assert.deepEqual(frame, {
      interaction_type: 'response_required',
      response_id: 1,
      transcript: [
        { role: 'agent', content: 'Hello.' },
        { role: 'user', content: 'I need a table.' },
      ],
    });
  });

  test('numbers the responses, and asks for a reminder', () => {
    const call = new CustomCall(echoServer(), { reminderMaxCount: 1, reminderTriggerMs: 5000 });
    call.pass(2000);
    call.say('One.', 20_000);
    assert.deepEqual(
      call.server.requests.map(({ interaction_type, response_id }) => [interaction_type, response_id]),
      [
        ['response_required', 1],
        ['reminder_required', 2],
      ],
    );
    assert.deepEqual(call.said.at(-1), ['agent', 'Still there?']);
    assert.equal(call.call.turns.at(-1)?.source, 'reminder');
  });

  test('a server that ignores reminders is no failure, and the caller is not told to wait', () => {
    const call = new CustomCall(
      {
        received({ interaction_type: type, response_id }, server) {
          if (type === 'response_required') server.respond(response_id, 'Fine.');
        },
      },
      { beginMessage: '', reminderMaxCount: 5, reminderTriggerMs: 5000, endCallAfterSilenceMs: 600_000 },
    );
    call.pass(120_000);
    assert.equal(call.server.of('reminder_required').length, 5);
    call.say('Hello?', 5000);
    assert.deepEqual(call.said, [
      ['caller', 'Hello?'],
      ['agent', 'Fine.'],
    ]);
    assert.equal(call.call.endReason, null);
  });

  test('sends the details of the call to a server that asks for them, at every connection', () => {
    const call = new CustomCall(echoServer({ call_details: true, auto_reconnect: true }), {
      agentGlobalPrompt: 'You are at {{shop}}.',
      agentVariables: [
        { name: 'shop', value: 'Umeda' },
        { name: 'city', value: 'Tokyo' },
      ],
    });
    call.pass(3000);
    const [details] = call.server.of('call_details');
    assert.deepEqual(details?.call, {
      call_id: 'call_1',
      call_type: 'web_call',
      agent_id: details?.call?.agent_id,
      agent_version: details?.call?.agent_version,
      metadata: { page: '/booking' },
      agent_global_prompt: 'You are at Ginza.',
      retell_llm_dynamic_variables: { shop: 'Ginza', city: 'Tokyo', seats: '4' },
    });
    assert.match(String(details?.call?.agent_id), /^agt_/);
    assert.equal(typeof details?.call?.agent_version, 'number');
    call.server.leave(1006, 100);
    call.pass(3000);
    assert.equal(call.server.of('call_details').length, 2);
  });

  test('sends updates after every turn, at a change of the floor, and with the words at most five times a second', () => {
    const call = new CustomCall(echoServer());
    call.pass(3000);
    call.server.received.length = 0;
    call.say('Could you please tell me when you are open on Saturdays and Sundays in December?', 20_000);
    const updates = call.server.of('update_only');
    assert.deepEqual(updates[0]?.turntaking, 'user_turn');
    assert.ok(updates.some(({ turntaking }) => turntaking === 'agent_turn'));
    const partial = updates.filter(({ transcript }) => transcript?.at(-1)?.content.startsWith('Could you'));
    assert.ok(partial.length > 3, 'words arrive while they are said');
    for (const { at } of partial) {
      const within = partial.filter(
        (other) => other.at >= at && other.at < at + 1000 && other.turntaking === undefined,
      );
      assert.ok(within.length <= 6, `${within.length} updates in a second`);
    }
    assert.deepEqual(
      updates.at(-1)?.transcript?.map(({ role }) => role),
      ['agent', 'user', 'agent'],
    );
  });

  test('a muted agent requires no response, and the server still follows the conversation', () => {
    const call = new CustomCall(echoServer());
    call.pass(3000);
    call.call.session.dispatch({ type: 'mute', isOn: true });
    call.say('Is anybody there?', 6000);
    assert.deepEqual(call.server.requests, []);
    assert.deepEqual(call.server.of('update_only').at(-1)?.transcript?.at(-1), {
      role: 'user',
      content: 'Is anybody there?',
    });
  });

  test('pings every two seconds if the server asks for it, and only then', () => {
    const call = new CustomCall(echoServer({ auto_reconnect: true }));
    call.pass(9000);
    const times = call.server.of('ping_pong').map(({ at }) => at);
    assert.deepEqual(
      times.slice(1).map((at, index) => at - (times[index] ?? 0)),
      [2000, 2000, 2000, 2000],
    );
    assert.equal(call.server.of('ping_pong')[0]?.timestamp, startedAt + (times[0] ?? 0) - 5);
    const plain = new CustomCall(echoServer(null));
    plain.pass(60_000);
    assert.deepEqual(plain.server.of('ping_pong'), []);
    assert.equal(plain.call.endReason, null);
  });

  test('a response arrives in pieces, and hangs up when it is said', () => {
    const call = new CustomCall({
      received(frame, server) {
        if (frame.interaction_type !== 'response_required') return;
        const { response_id } = frame;
        server.send({ response_type: 'response', response_id, content: '', content_complete: false });
        server.respond(response_id, 'Good', { content_complete: false });
        server.respond(response_id, 'bye. See', { content_complete: false });
        server.respond(response_id, ' you.', { end_call: true });
      },
    });
    call.say('That is all.', 12_000);
    assert.deepEqual(call.said.at(-1), ['agent', 'Goodbye. See you.']);
    assert.equal(call.call.endReason, 'agent_hangup');
    assert.deepEqual(call.server.closedWith, [1000]);
  });

  for (const [about, first, more, silenceMs] of [
    ['a sentence', 'Let me look that up.', {}, 300],
    ['a sentence and a space', 'Let me look that up. ', {}, 300],
    ['a sentence in quotes', 'He said “Let me look that up.” ', {}, 300],
    ['a sentence that is not to be interrupted', 'Let me look that up. ', { no_interruption_allowed: true }, 300],
    ['words without an end', 'One moment', {}, 1000],
    ['a sentence in Japanese', '少々お待ちください。', {}, 300],
  ] as const) {
    test(`${about} is said when the response pauses, and not when it goes on: servers look things up`, () => {
      const call = new CustomCall({
        received({ interaction_type: type, response_id }, server) {
          if (type !== 'response_required') return;
          server.respond(response_id, first, { content_complete: false, ...more });
          server.clock.after(9000, () => server.respond(response_id, ' We have a table.'));
        },
      });
      call.say('A table please.', 3000);
      const arrivedAt = (call.server.requests[0]?.at ?? 0) + 5;
      const startedAt = call.call.speaking?.startedAt ?? Number.POSITIVE_INFINITY;
      assert.ok(
        startedAt >= arrivedAt + silenceMs && startedAt < arrivedAt + silenceMs + 400,
        `${startedAt - arrivedAt}`,
      );
      call.pass(20_000);
      assert.deepEqual(call.said.at(-1), ['agent', `${first} We have a table.`]);
      assert.deepEqual(call.codes, []);
    });
  }

  test('a response that comes letter by letter is said in sentences', () => {
    const call = new CustomCall({
      received({ interaction_type: type, response_id }, server) {
        if (type !== 'response_required') return;
        for (const [index, letter] of [...'Yes, we do. It is 3.50 euros.'].entries()) {
          server.clock.after(index * 250, () => server.respond(response_id, letter, { content_complete: false }));
        }
        server.clock.after(9000, () => server.respond(response_id, ''));
      },
    });
    call.say('How much?', 20_000);
    assert.deepEqual(call.said.at(-1), ['agent', 'Yes, we do. It is 3.50 euros.']);
    assert.deepEqual(call.codes, []);
  });

  test('an interruption withdraws the end of the call', () => {
    const call = new CustomCall({
      received(frame, server) {
        if (frame.interaction_type === 'response_required' && frame.response_id === 1) {
          server.respond(1, 'Goodbye, it was very nice to talk to you today.', { end_call: true });
        } else if (frame.interaction_type === 'response_required') server.respond(frame.response_id, 'Yes?');
      },
    });
    call.say('That is all.', 4000);
    call.say('Wait, wait, one more thing please.', 12_000);
    assert.equal(call.call.endReason, null);
    assert.deepEqual(call.said.at(-1), ['agent', 'Yes?']);
  });

  test('what must not be interrupted is not, sentence by sentence', () => {
    const call = new CustomCall({
      received(frame, server) {
        if (frame.interaction_type !== 'response_required') return;
        const { response_id } = frame;
        for (const content of ['This ', 'call ', 'is ', 'being ', 'recorded ', 'for ', 'your ', 'safety. ']) {
          const fields = { content_complete: false, no_interruption_allowed: true };
          server.respond(response_id, content, fields);
        }
        server.respond(response_id, '', {});
      },
    });
    call.say('Hello?', 3500);
    call.say('Stop, stop, stop, stop please.', 12_000);
    const [, agent] = call.said;
    assert.deepEqual(agent, ['agent', 'This call is being recorded for your safety. ']);
    assert.equal(call.call.turns.find(({ role }) => role === 'agent')?.interrupted, false);
  });

  test('metadata is passed on, a transfer is a warning', () => {
    const call = new CustomCall({
      connected(server) {
        server.send({ response_type: 'metadata', metadata: { page: 2 } });
        server.respond(0, 'Hello.', { transfer_number: '+81312345678' });
      },
    });
    call.pass(3000);
    assert.deepEqual(call.metadata, [{ page: 2 }]);
    assert.deepEqual(call.codes, ['transfer_not_supported']);
  });

  test('a phone call is transferred to a number of the list, after what is said', () => {
    const desk = { name: 'desk', description: 'The front desk.', to: '+81312345678' };
    const transferTo = (number: string, tools: ToolScripts) =>
      new CustomCall(
        { connected: (server) => server.respond(0, 'I will connect you.', { transfer_number: number }) },
        { agentSettings: { phone: { transfers: [desk] } } },
        tools,
      );
    const call = transferTo(desk.to, { transfer_call: { result: { transferred: true }, delayMs: 5000 } });
    call.pass(3000);
    assert.deepEqual([call.call.session.state, call.said], ['transferring', [['agent', 'I will connect you.']]]);
    call.pass(5000);
    assert.equal(call.call.endReason, 'transferred');
    const other = transferTo('+81312345679', {});
    other.pass(3000);
    assert.deepEqual([other.call.session.state, other.codes], ['idle', ['transfer_not_supported']]);
  });

  test('a transfer that fails asks the server to go on', () => {
    const desk = { name: 'desk', description: 'The front desk.', to: '+81312345678' };
    const call = new CustomCall(
      {
        connected: (server) =>
          server.send({
            response_type: 'agent_interrupt',
            interrupt_id: 1,
            content: 'I will connect you.',
            content_complete: true,
            transfer_number: desk.to,
          }),
        received({ interaction_type: type, response_id: id }, server) {
          if (type === 'response_required') server.respond(id, 'Nobody answers.');
        },
      },
      { agentSettings: { phone: { transfers: [desk] } } },
      { transfer_call: { result: { transferred: false, reason: 'busy' }, delayMs: 1000 } },
    );
    call.pass(10_000);
    assert.deepEqual(call.said, [
      ['agent', 'I will connect you.'],
      ['agent', 'Nobody answers.'],
    ]);
  });

  test('keys are pressed in a phone call, and are a warning elsewhere', () => {
    const press = (digits: string, fields: Partial<Agent>) => {
      const call = new CustomCall({ connected: (server) => server.respond(0, '', { digit_to_press: digits }) }, fields);
      call.pass(1000);
      return call.codes;
    };
    const phone = { agentSettings: { phone: {} } };
    assert.deepEqual(
      [press('1', phone), press('1', {}), press('one', phone)],
      [[], ['keys_not_pressed'], ['keys_not_pressed']],
    );
  });

  test('the server changes how quickly the agent responds, and whether it reminds', () => {
    const call = new CustomCall(
      {
        ...echoServer(null, ''),
        connected(server) {
          server.respond(0, '');
          const agent_config = { responsiveness: 0, reminder_trigger_ms: 4000, reminder_max_count: 2 };
          server.send({ response_type: 'update_agent', agent_config });
        },
      },
      { responsiveness: 1 },
    );
    call.pass(100);
    call.call.speak('table');
    call.pass(30_000);
    const quick = new CustomCall(echoServer(null, ''), { responsiveness: 1 });
    quick.pass(100);
    quick.call.speak('table');
    quick.pass(30_000);
    const [slowAt, quickAt] = [call, quick].map(({ server }) => server.requests[0]?.at ?? 0);
    assert.equal((slowAt ?? 0) - (quickAt ?? 0), 1500);
    assert.equal(call.server.of('reminder_required').length, 2);
    assert.equal(quick.server.of('reminder_required').length, 0);
  });

  test('works with the smallest servers: no config, no type of the response, null for what they do not use', () => {
    const call = new CustomCall({
      connected(server) {
        server.send({ response_id: 0, content: 'Hi.', content_complete: true, end_call: false });
      },
      received({ interaction_type: type, response_id }, server) {
        if (type !== 'response_required') return;
        const unused = { end_call: null, transfer_number: null, no_interruption_allowed: null, unknown: 1 };
        server.respond(response_id, 'Of course.', unused);
      },
    });
    call.pass(3000);
    call.say('Can you help me?', 8000);
    assert.deepEqual(
      call.said.map(([, text]) => text),
      ['Hi.', 'Can you help me?', 'Of course.'],
    );
    assert.deepEqual(call.warnings, []);
  });
});

describe('The opening of a custom LLM', () => {
  test('counts once: later greetings are ignored without an error', () => {
    const call = new CustomCall({
      ...echoServer({ call_details: true, auto_reconnect: true }),
      received(frame, server) {
        if (frame.interaction_type === 'call_details') server.respond(0, 'Hello again.');
        echoServer().received(frame, server);
      },
    });
    call.pass(3000);
    call.server.leave(1006, 100);
    call.pass(5000);
    call.say('Hello?', 8000);
    assert.deepEqual(
      call.said.filter(([role]) => role === 'agent').map(([, text]) => text),
      ['Hello.', 'You said: Hello?.'],
    );
    assert.deepEqual(call.codes, ['llm_connection_lost', 'llm_reconnected']);
  });

  test('is ignored if the agent has words of its own', () => {
    const call = new CustomCall(echoServer(), { beginMessage: 'Welcome.' });
    call.pass(5000);
    assert.deepEqual(call.said, [['agent', 'Welcome.']]);
    assert.deepEqual(call.warnings, []);
  });

  test('is not waited for longer than five seconds after connecting, and nothing is said meanwhile', () => {
    const call = new CustomCall({ received: (frame, server) => echoServer().received(frame, server) });
    call.pass(5004);
    assert.equal(call.call.session.state, 'thinking');
    call.pass(2);
    assert.equal(call.call.session.state, 'idle');
    assert.deepEqual(call.said, []);
    call.server.respond(0, 'Too late.');
    call.say('Hello?', 8000);
    assert.deepEqual(call.said.at(-1), ['agent', 'You said: Hello?.']);
  });

  test('"" means that the caller speaks first', () => {
    const call = new CustomCall(echoServer(null, ''));
    call.pass(20);
    assert.equal(call.call.session.state, 'idle');
  });

  test('a caller who speaks first cancels it', () => {
    const call = new CustomCall({
      connected: (server) => void server.clock.after(2000, () => server.respond(0, 'Hello.')),
      received: (frame, server) => echoServer().received(frame, server),
    });
    call.pass(50);
    call.say('Good morning.', 10_000);
    assert.deepEqual(call.said, [
      ['caller', 'Good morning.'],
      ['agent', 'You said: Good morning..'],
    ]);
  });
});
