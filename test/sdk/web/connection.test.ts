import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { joinCall, WebCallError, type WebCallEvents } from '../../../sdk/src/web/index.ts';
import { canResume, nextDelayMs } from '../../../sdk/src/web/reconnection.ts';
import { LiveDouble } from './live-double.ts';

type Name = keyof WebCallEvents;

/** All events of a call, in order. */
function recorder() {
  const events: [Name, unknown][] = [];
  const waiting: (() => void)[] = [];
  const note = (name: Name) => (value: unknown) => {
    events.push([name, value]);
    for (const resolve of waiting.splice(0)) resolve();
  };
  const names = [
    'transcript',
    'state',
    'tool',
    'event',
    'metadata',
    'reconnecting',
    'reconnected',
    'error',
    'ended',
  ] as const;
  const on = Object.fromEntries(names.map((name) => [name, note(name)]));
  const of = <Each extends Name>(name: Each) =>
    events.flatMap(([each, value]) => (each === name ? [value as WebCallEvents[Each]] : []));
  const next = async <Each extends Name>(name: Each): Promise<WebCallEvents[Each]> => {
    for (;;) {
      const [first] = of(name);
      if (first !== undefined) return first;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
  };
  return { on, of, next };
}

async function joined(
  tools: Parameters<typeof joinCall>[0]['tools'] = {},
  options: Parameters<typeof LiveDouble.start>[0] = {},
) {
  const double = await LiveDouble.start({ mode: 'chat', ...options });
  const events = recorder();
  const socket = double.nextSocket();
  const call = await joinCall({ ...double.access, mode: 'chat', on: events.on, tools });
  return { double, call, events, socket: await socket };
}

describe('when a connection is resumed', () => {
  it('depends on the close code', () => {
    for (const code of [1000, 1009, 4400, 4401, 4408, 4409, 4429]) assert.equal(canResume(code), false, String(code));
    for (const code of [1001, 1005, 1006, 1011, 1012, 4503]) assert.equal(canResume(code), true, String(code));
  });

  it('is soon at first, then less often, and not after 30 seconds', () => {
    const delays = [0, 1, 2, 3, 4, 5, 6].map((attempt) => nextDelayMs(attempt, { lostForMs: 0, random: 1 }));
    assert.deepEqual(delays, [250, 500, 1_000, 2_000, 2_000, 2_000, 2_000]);
    assert.equal(nextDelayMs(0, { lostForMs: 0, random: 0 }), 125);
    assert.equal(nextDelayMs(9, { lostForMs: 28_000, random: 1 }), null);
    assert.equal(nextDelayMs(9, { lostForMs: 27_999, random: 1 }), 2_000);
  });
});

describe('the connection of a web call', () => {
  it('joins with the token, and passes frames on', async () => {
    const { double, call, events, socket } = await joined();
    assert.deepEqual(
      [call.callId, call.agentName, call.language, call.hasMicrophone],
      [double.callId, 'Sakura', 'en-US', false],
    );
    assert.deepEqual(socket.frames, [{ type: 'start' }]);
    socket.send({ type: 'state', floor: 'agent' });
    socket.send({ type: 'transcript', role: 'agent', text: 'Hello.', isFinal: true, turn: 0 });
    socket.send({ type: 'of_the_future', anything: 1 });
    socket.send({ type: 'metadata', metadata: { page: 2 } });
    socket.send({ type: 'error', code: 'reply_in_progress', message: 'Wait.' });
    const error = await events.next('error');
    assert.deepEqual([error.code, error.detail, error.message], ['service_error', 'reply_in_progress', 'Wait.']);
    assert.equal(call.floor, 'agent');
    assert.deepEqual(events.of('transcript'), [{ role: 'agent', text: 'Hello.', isFinal: true, turn: 0 }]);
    assert.deepEqual(events.of('metadata'), [{ page: 2 }]);
    call.send('A table for two.');
    await socket.next('text', ({ text }) => text === 'A table for two.');
    call.send('half \ud83d, none \0, whole \ud83d\ude00');
    await socket.next('text', ({ text }) => text === 'half \ufffd, none \ufffd, whole \ud83d\ude00');
    call.send();
    await socket.next('text', ({ text }) => text === undefined);
    assert.throws(() => call.send(' '), TypeError);
    assert.throws(() => call.send('x'.repeat(10_001)), TypeError);
    assert.throws(() => call.sendDtmf('12'), TypeError);
    assert.deepEqual(double.problems, []);
  });

  it('ends with the page: sends end, and waits for the reason', async () => {
    const { call, events, socket } = await joined();
    const ending = call.end();
    await socket.next('end');
    socket.send({ type: 'ended', reason: 'caller_hangup' });
    await ending;
    assert.deepEqual(events.of('ended'), [{ reason: 'caller_hangup', error: null }]);
    await socket.until(() => socket.closeCode === 1000);
    await call.end();
    call.send('Nobody hears this.');
    assert.equal(events.of('ended').length, 1);
  });

  it('ends with the service', async () => {
    const { events, socket } = await joined();
    socket.send({ type: 'ended', reason: 'agent_hangup' });
    socket.close(1000);
    assert.deepEqual(await events.next('ended'), { reason: 'agent_hangup', error: null });
    assert.deepEqual(events.of('reconnecting'), []);
  });

  for (const [code, expected] of [
    [4409, 'joined_elsewhere'],
    [4401, 'connection_lost'],
    [4429, 'protocol_error'],
    [4400, 'protocol_error'],
  ] as const) {
    it(`does not resume after ${code}`, async () => {
      const { events, socket } = await joined();
      socket.close(code);
      const { error } = await events.next('ended');
      assert.equal(error?.code, expected);
      assert.deepEqual(events.of('reconnecting'), []);
    });
  }

  for (const [name, lose] of [
    ['the network breaks', 'drop'],
    ['the service restarts', 4503],
  ] as const) {
    it(`resumes with the newest key when ${name}, and sends what was said meanwhile`, async () => {
      const { double, call, events, socket } = await joined();
      let before = socket;
      for (const key of ['key-1_x', 'key-2_x']) {
        assert.equal(double.resumeKey, key);
        const next = double.nextSocket();
        const reconnecting = events.of('reconnecting').length;
        if (lose === 'drop') before.drop();
        else before.close(lose);
        while (events.of('reconnecting').length === reconnecting) await new Promise((resolve) => setImmediate(resolve));
        call.send(`Still here, ${key}`);
        before = await next;
        assert.deepEqual(before.frames[0], { type: 'start' });
        await before.next('text', ({ text }) => text === `Still here, ${key}`);
      }
      assert.equal(events.of('reconnected').length, 2);
      assert.deepEqual(double.problems, []);
      await Promise.all([
        call.end(),
        before.next('end').then(() => before.send({ type: 'ended', reason: 'caller_hangup' })),
      ]);
      assert.equal(events.of('ended').length, 1);
    });
  }

  it('does not resume a call that was ended meanwhile', async () => {
    const { double, call, events, socket } = await joined();
    socket.drop();
    await events.next('reconnecting');
    await call.end();
    assert.deepEqual(events.of('ended'), [{ reason: null, error: null }]);
    assert.equal(double.sockets.length, 1);
  });

  it('hangs up over the API if the connection is lost', async () => {
    const requested = Promise.withResolvers<(string | undefined)[]>();
    const onRequest: RequestListener = ({ method, url, headers }, response) => {
      requested.resolve([method, url, headers.authorization]);
      response.end('{}');
    };
    const { double, call, events, socket } = await joined({}, { onRequest });
    socket.drop();
    await events.next('reconnecting');
    await call.end();
    const path = `/api/v1/calls/${double.callId}/end`;
    assert.deepEqual(await requested.promise, ['POST', path, `Bearer ${double.token}`]);
  });

  it('reports why the call has ended while the connection was lost, however many events it has', async () => {
    const other = { type: 'speech_started', data: { role: 'agent', atMs: 0 } };
    const pages = [
      [[{ type: 'state_changed', data: { from: null, to: 'registered', endReason: null } }, other], 'c 1'],
      // It has not ended yet at the first attempt, and the second one goes on from there.
      [[], 'c 1'],
      [[other], 'c2'],
      [[{ type: 'state_changed', data: { from: 'ongoing', to: 'ended', endReason: 'silence_timeout' } }], null],
    ] as const;
    const asked: string[] = [];
    let isRefused = false;
    const { events, socket } = await joined(
      {},
      {
        refusal: () => (isRefused ? 409 : undefined),
        onRequest: ({ url }, response) => {
          const [items, nextCursor] = pages[asked.length] ?? [];
          asked.push(new URL(url ?? '', 'http://x').searchParams.get('cursor') ?? '');
          response.end(JSON.stringify({ items, pagination: { nextCursor } }));
        },
      },
    );
    isRefused = true;
    socket.drop();
    assert.deepEqual(await events.next('ended'), { reason: 'silence_timeout', error: null });
    assert.deepEqual(asked, ['', 'c 1', 'c 1', 'c2']);
    assert.equal(events.of('reconnecting').length, 2);
  });

  it('does not try for long to resume a call that its token may not use any more', async () => {
    let isRefused = false;
    const { events, socket } = await joined(
      {},
      {
        refusal: () => (isRefused ? 401 : undefined),
        onRequest: (_, response) => {
          const body = { error: { code: 'UNAUTHORIZED', message: 'The access token is not valid.' } };
          response.writeHead(401).end(JSON.stringify(body));
        },
      },
    );
    isRefused = true;
    socket.drop();
    const { reason, error } = await events.next('ended');
    assert.deepEqual([reason, error?.code, error?.status], [null, 'connection_lost', 401]);
    assert.equal(events.of('reconnecting').length, 1);
  });

  it('runs tools of the page, once each, and reports what they return or throw', async () => {
    let runs = 0;
    const { double, events, socket } = await joined({
      cart: async ({ sku }: { sku: string }) => {
        runs += 1;
        return { sku, runs };
      },
      nothing: () => undefined,
      broken: () => {
        throw new Error('Out of stock.');
      },
      huge: () => 'x'.repeat(40_000),
      handle: () => () => 'a function is not JSON',
      half: () => ({ text: 'cut \ud83d' }),
      long: () => {
        throw new Error(`${'x'.repeat(499)}\ud83d\ude00`);
      },
    });
    const call = (toolCallId: string, name: string) =>
      socket.send({ type: 'tool_call', toolCallId, name, arguments: { sku: 'A-1' } });
    const results = async (toolCallId: string) =>
      socket.next('tool_result', (frame) => frame.toolCallId === toolCallId);
    for (const [id, name] of [
      ['t1', 'cart'],
      ['t2', 'nothing'],
      ['t3', 'broken'],
      ['t4', 'toString'],
      ['t5', 'huge'],
      ['t6', 'handle'],
      ['t7', 'half'],
      ['t8', 'long'],
    ] as const) {
      call(id, name);
    }
    assert.deepEqual(await results('t1'), { type: 'tool_result', toolCallId: 't1', result: { sku: 'A-1', runs: 1 } });
    assert.deepEqual(await results('t2'), { type: 'tool_result', toolCallId: 't2', result: null });
    assert.deepEqual(await results('t3'), { type: 'tool_result', toolCallId: 't3', error: 'Out of stock.' });
    assert.deepEqual(await results('t4'), {
      type: 'tool_result',
      toolCallId: 't4',
      error: 'The page has no tool "toString".',
    });
    assert.match(((await results('t5')) as { error: string }).error, /more than 32768 bytes/);
    assert.deepEqual(await results('t6'), { type: 'tool_result', toolCallId: 't6', result: null });
    assert.deepEqual(await results('t7'), { type: 'tool_result', toolCallId: 't7', result: { text: 'cut \ufffd' } });
    assert.deepEqual(((await results('t8')) as { error: string }).error, `${'x'.repeat(499)}\ufffd`);
    call('t1', 'cart');
    await socket.until(
      () => socket.frames.filter((frame) => frame.type === 'tool_result' && frame.toolCallId === 't1').length === 2,
    );
    assert.equal(runs, 1);
    const [called] = events.of('tool');
    assert.deepEqual(called, { toolCallId: 't1', name: 'cart', arguments: { sku: 'A-1' }, outcome: null });
    assert.deepEqual(double.problems, []);
  });

  it('sends the result of a tool that finished while the connection was lost', async () => {
    let finish = (_: string) => {};
    const result = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const { double, events, socket } = await joined({ slow: () => result });
    socket.send({ type: 'tool_call', toolCallId: 't1', name: 'slow', arguments: {} });
    await events.next('tool');
    const next = double.nextSocket();
    socket.drop();
    await events.next('reconnecting');
    finish('done');
    const frame = await (await next).next('tool_result');
    assert.deepEqual(frame, { type: 'tool_result', toolCallId: 't1', result: 'done' });
  });

  it('says why it was refused, where the service does', async () => {
    const asked: [string | undefined, string | undefined][] = [];
    const double = await LiveDouble.start({
      mode: 'chat',
      refusal: () => 401,
      onRequest: (request, response) => {
        asked.push([request.url, request.headers.authorization]);
        const body = { error: { code: 'UNAUTHORIZED', message: 'The access token has expired.' } };
        response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      },
    });
    await assert.rejects(joinCall({ ...double.access, mode: 'chat' }), (error) => {
      assert.ok(error instanceof WebCallError);
      assert.deepEqual(
        [error.code, error.status, error.detail, error.message],
        ['connection_refused', 401, 'UNAUTHORIZED', 'The access token has expired.'],
      );
      return true;
    });
    assert.deepEqual(asked, [[`/api/v1/calls/${double.callId}/events?limit=1`, `Bearer ${double.token}`]]);
  });

  it('says that it was refused, where nothing answers', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const liveUrl = `ws://127.0.0.1:${port}/live/v1/calls/call_1`;
    await assert.rejects(joinCall({ liveUrl, token: 'vat_x', mode: 'chat' }), (error) => {
      assert.ok(error instanceof WebCallError);
      assert.deepEqual([error.code, error.status], ['connection_refused', null]);
      return true;
    });
  });

  it('does not ask the server for a token that is not needed', async () => {
    const double = await LiveDouble.start();
    let asked = 0;
    const access = async () => {
      asked += 1;
      return double.access;
    };
    // There is no audio outside of browsers.
    await assert.rejects(
      joinCall({ access }),
      (error) => error instanceof WebCallError && error.code === 'not_supported',
    );
    assert.equal(asked, 0);
  });
});
