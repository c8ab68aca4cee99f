import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CustomCall } from './custom-call.ts';
import { echoServer, type ServerBehavior } from './server-double.ts';

/** Answers what it is asked after so long. */
function slowServer(ms: number): ServerBehavior {
  const echo = echoServer();
  return {
    ...echo,
    received(frame, server) {
      if (frame.interaction_type === 'response_required') {
        server.clock.after(ms, () => echo.received(frame, server));
      } else echo.received(frame, server);
    },
  };
}

describe('A custom LLM server that goes away', () => {
  test('is connected again, and gets everything, and the pending request under a new id', () => {
    const call = new CustomCall(slowServer(1000));
    call.pass(3000);
    call.call.speak('I need a table.');
    while (call.server.requests.length === 0) call.pass(10);
    call.server.leave(1006, 2000);
    call.server.received.length = 0;
    call.pass(3000);
    assert.deepEqual(
      call.server.received.map(({ interaction_type, response_id }) => [interaction_type, response_id]).slice(0, 2),
      [
        ['update_only', undefined],
        ['response_required', 2],
      ],
    );
    const transcript = [
      { role: 'agent', content: 'Hello.' },
      { role: 'user', content: 'I need a table.' },
    ];
    assert.deepEqual(call.server.received[0]?.transcript, transcript);
    assert.deepEqual(call.server.received[1]?.transcript, transcript);
    call.pass(10_000);
    assert.deepEqual(call.said.at(-1), ['agent', 'You said: I need a table..']);
    assert.deepEqual(call.codes, ['llm_connection_lost', 'llm_reconnected']);
    assert.equal(call.call.endReason, null);
  });

  test('makes the caller wait at most one second longer than it was away', () => {
    const answeredAt = (awayMs: number): number => {
      const call = new CustomCall(slowServer(300));
      call.pass(3000);
      call.call.speak('I need a table.');
      while (call.server.requests.length === 0) call.pass(1);
      const start = call.clock.now();
      if (awayMs > 0) call.server.leave(1006, awayMs);
      const reply = () => call.call.turns.find(({ source }) => source === 'engine');
      while (reply() === undefined && call.call.endReason === null) call.pass(10);
      return (reply()?.startMs ?? Number.POSITIVE_INFINITY) - start;
    };
    const usual = answeredAt(0);
    for (let awayMs = 1; awayMs < 14_000; awayMs += 487) {
      const longer = answeredAt(awayMs) - usual - awayMs;
      // From 4 s on, the agent may be saying that it takes a moment when the reply arrives.
      const waitingSentenceMs = awayMs > 2000 ? 3000 : 0;
      assert.ok(longer <= 1000 + 20 + waitingSentenceMs, `away ${awayMs} ms: ${longer} ms longer`);
    }
  });

  test('is asked again at 0.5 s, then every second, for 15 s: then the call ends', () => {
    const call = new CustomCall(echoServer());
    call.pass(3000);
    const attempts: number[] = [];
    call.server.leave(1006);
    const start = call.clock.now();
    let before = call.server.attempts;
    while (call.call.endReason === null && call.clock.now() < start + 60_000) {
      call.pass(1);
      if (call.server.attempts > before) attempts.push(call.clock.now() - start);
      before = call.server.attempts;
    }
    assert.deepEqual(
      attempts,
      Array.from({ length: 15 }, (_, index) => 500 + 1000 * index),
    );
    assert.equal(call.clock.now() - start, 15_000);
    assert.equal(call.call.endReason, 'llm_failed');
    assert.match(call.failure ?? '', /closed the connection with code 1006, and was not back after 15 s/);
  });

  test('an attempt that hangs does not delay the next one', () => {
    const call = new CustomCall(echoServer());
    call.pass(3000);
    call.server.isHanging = true;
    call.server.leave(1006, 0);
    call.pass(5000);
    call.server.isHanging = false;
    call.pass(1010);
    assert.equal(call.server.connections, 2);
    assert.equal(call.call.endReason, null);
  });

  test('the time without a server does not count as time of the reply', () => {
    const call = new CustomCall(slowServer(8000));
    call.pass(3000);
    call.call.speak('I need a table.');
    while (call.server.requests.length === 0) call.pass(10);
    call.pass(6000);
    call.server.leave(1006, 12_000);
    call.pass(30_000);
    assert.deepEqual(call.said.at(-1), ['agent', 'You said: I need a table..']);
    assert.ok(call.call.turns.every(({ source }) => source !== 'fallback'));
  });

  test('that answers no ping for five seconds counts as gone', () => {
    let answers = 0;
    const echo = echoServer();
    const call = new CustomCall({
      ...echo,
      received(frame, server) {
        if (frame.interaction_type !== 'ping_pong' || ++answers <= 3) echo.received(frame, server);
      },
    });
    call.pass(9600);
    assert.equal(call.server.connections, 2);
    const [lost] = call.warnings;
    assert.match(lost?.message ?? '', /answered no ping for 5 s/);
  });

  test('that did not ask for it is not connected again: the call ends', () => {
    const call = new CustomCall(echoServer({ auto_reconnect: false }));
    call.pass(3000);
    call.server.leave(1006, 0);
    call.pass(1);
    assert.equal(call.call.endReason, 'llm_failed');
    assert.match(call.failure ?? '', /closed the connection with code 1006/);
  });

  test('that closes with 1000 has hung up, after what it said', () => {
    const call = new CustomCall({
      ...echoServer(),
      received(frame, server) {
        if (frame.interaction_type !== 'response_required') return;
        server.respond(frame.response_id, 'Goodbye and have a nice day.');
        server.clock.after(50, () => server.close(1000));
      },
    });
    call.pass(3000);
    call.say('Bye.', 2500);
    assert.equal(call.call.endReason, null);
    call.pass(8000);
    assert.deepEqual(call.said.at(-1), ['agent', 'Goodbye and have a nice day.']);
    assert.equal(call.call.endReason, 'agent_hangup');
    assert.equal(call.server.connections, 1);
  });

  test('mid-response: what was said is in the transcript, and the rest is asked for again', () => {
    const call = new CustomCall({
      ...echoServer(),
      received(frame, server) {
        if (frame.interaction_type === 'ping_pong') echoServer().received(frame, server);
        if (frame.response_id === 1) {
          server.respond(1, 'Your table is ', { content_complete: false });
          server.clock.after(100, () => server.leave(1011, 600));
        }
        if (frame.response_id === 2) server.respond(2, 'booked for Friday.');
      },
    });
    call.pass(3000);
    call.say('I need a table.', 15_000);
    assert.deepEqual(call.server.requests.at(-1)?.transcript?.at(-1), { role: 'agent', content: 'Your table is ' });
    assert.deepEqual(call.said.at(-1), ['agent', 'Your table is booked for Friday.']);
  });

  test('comes back as another version: without config it gets no pings, and is connected again if it goes again', () => {
    const echo = echoServer();
    const call = new CustomCall({
      connected(server, connection) {
        if (connection === 1) echo.connected(server, connection);
        server.isStrict = connection === 1;
      },
      received: echo.received,
    });
    call.pass(3000);
    call.server.leave(1012, 100);
    call.pass(2000);
    call.server.received.length = 0;
    call.pass(20_000);
    assert.deepEqual(call.server.of('ping_pong'), []);
    call.say('Hello?', 8000);
    assert.deepEqual(call.said.at(-1), ['agent', 'You said: Hello?.']);
    call.server.leave(1006, 100);
    call.pass(3000);
    assert.equal(call.server.connections, 3);
    assert.equal(call.call.endReason, null);
  });

  test('whose name now leads to a private network ends the call at once', () => {
    const call = new CustomCall(echoServer());
    call.pass(3000);
    call.server.isForbidden = true;
    call.server.leave(1006, 0);
    call.pass(600);
    assert.equal(call.call.endReason, 'llm_failed');
    assert.equal(call.failure, 'The service does not connect to this address.');
  });
});

describe('The first connection to a custom LLM server', () => {
  test('is tried three times, three seconds apart; then the call ends', () => {
    const call = new CustomCall(echoServer());
    call.server.isUp = false;
    call.pass(6014);
    assert.equal(call.call.endReason, null);
    call.pass(10);
    assert.equal(call.server.attempts, 3);
    assert.equal(call.call.endReason, 'llm_connect_failed');
    assert.equal(call.failure, 'The connection could not be established.');
  });

  test('has seven seconds each time', () => {
    const call = new CustomCall(echoServer());
    call.server.isHanging = true;
    call.pass(26_999);
    assert.equal(call.call.endReason, null);
    call.pass(1);
    assert.equal(call.server.attempts, 3);
    assert.equal(call.call.endReason, 'llm_connect_failed');
    assert.match(call.failure ?? '', /did not answer within 7 s/);
  });

  test('that succeeds late loses nothing of what was said meanwhile', () => {
    const call = new CustomCall(echoServer(null));
    call.server.isUp = false;
    call.say('I need a table.', 5000);
    call.server.isUp = true;
    call.pass(12_000);
    assert.deepEqual(call.said, [
      ['caller', 'I need a table.'],
      ['agent', 'One moment, please.'],
      ['agent', 'You said: I need a table..'],
    ]);
  });
});
