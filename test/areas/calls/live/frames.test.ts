import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { VirtualClock } from '../../../../src/voice/clock.ts';
import { createTestStt } from '../../../../src/voice/providers/test/test-speech.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { testSpeech, useService } from '../../../support/service.ts';
import { eventually, quickTime } from '../support.ts';
import { audioStart, connect, joined, newWebCall, ongoing, withResume, withToken } from './support.ts';

describe('the frames of a client', () => {
  const service = useService(sqliteEngine(), { calls: { concurrency: 1000 } });
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  const bad: readonly [string, unknown][] = [
    ['that are not JSON', '{'],
    ['that are not objects', '[]'],
    ['without a type', {}],
    ['of an unknown type', { type: 'shout' }],
    ['of a type that every object has', { type: 'constructor' }],
    ['of the service', { type: 'ready' }],
    ['with a field too many', { type: 'end', now: true }],
    ['with a missing field', { type: 'played', utterance: 1 }],
    ['with a number out of range', { type: 'played', utterance: 0, samples: 1 }],
    ['with an empty text', { type: 'text', text: '' }],
    ['with no text in a web call', { type: 'text' }],
    ['with a text that is too long', { type: 'text', text: 'a'.repeat(10_001) }],
    ['with keys that no phone has', { type: 'dtmf', digits: 'E' }],
    ['with a result and an error', { type: 'tool_result', toolCallId: 'tcl_1', result: 1, error: 'no' }],
    ['with neither result nor error', { type: 'tool_result', toolCallId: 'tcl_1' }],
    ['with NUL in a text', { type: 'text', text: 'a\0b' }],
    ['with half a character in a text', '{"type":"text","text":"a\\ud83d"}'],
    ['with NUL in what a browser has recognized', { type: 'recognized', text: 'a\0b', isFinal: false }],
    ['with NUL in an error', { type: 'tool_result', toolCallId: 'tcl_1', error: 'a\0b' }],
    ['with NUL in a result', { type: 'tool_result', toolCallId: 'tcl_1', result: { text: 'a\0b' } }],
    [
      'with a result that is nested too deeply',
      `{"type":"tool_result","toolCallId":"tcl_1","result":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    ],
    ['that start twice', audioStart],
    ['with half a sample', Buffer.alloc(3)],
    ['with no sample', Buffer.alloc(0)],
  ];
  for (const [what, frame] of bad) {
    it(`${what} are reported, and close the socket with 4400`, async () => {
      const { client, ...call } = await ongoing(service, key);
      client.send(frame);
      assert.equal((await client.next('error')).code, 'bad_frame');
      assert.equal(await client.closed, 4400);
      assert.equal((await call.call()).status, 'ongoing');
    });
  }

  const badStarts: readonly [string, unknown][] = [
    ['is another one', { type: 'text', text: 'Hello' }],
    ['is audio', Buffer.alloc(640)],
    ['is a start without formats', { type: 'start' }],
    ['is a start with one format', { type: 'start', input: { rate: 16_000 } }],
    ['has a rate that is not offered', { type: 'start', input: { rate: 8000 }, output: { rate: 16_000 } }],
  ];
  for (const [what, frame] of badStarts) {
    it(`close the socket with 4400 if the first ${what}`, async () => {
      const { id, accessToken } = await newWebCall(service, key);
      const client = await joined(connect(service, id, withToken(accessToken)));
      client.send(frame);
      assert.equal(await client.closed, 4400);
    });
  }

  it('of more than 64 KiB close the socket with 1009', async () => {
    const { client } = await ongoing(service, key);
    client.send(Buffer.alloc(64 * 1024));
    client.send({ type: 'text', text: 'Hello' });
    await client.said('Hello');
    client.send(Buffer.alloc(64 * 1024 + 2));
    assert.equal(await client.closed, 1009);
  });

  it('that arrive faster than 200 texts per second close the socket with 4429', async () => {
    const { client } = await ongoing(service, key);
    for (let count = 0; count < 400; count += 1) client.send({ type: 'played', utterance: 1, samples: count });
    assert.equal((await client.next('error')).code, 'too_much');
    assert.equal(await client.closed, 4429);
  });

  it('that nobody waits for are ignored', async () => {
    const { client } = await ongoing(service, key);
    client.send({ type: 'played', utterance: 77, samples: 1 });
    client.send({ type: 'tool_result', toolCallId: 'tcl_unknown', result: null });
    client.send({ type: 'recognized', text: 'Hello', isFinal: true });
    client.send({ type: 'text', text: 'Hello' });
    await client.said('Hello');
  });
});

describe('the time of a client', () => {
  const clock = new VirtualClock();
  const service = useService(sqliteEngine(), { calls: { clock } });
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });
  const second = Buffer.alloc(32_000);

  it('for audio is 1.5 times that of speech, with 8 seconds at once', async () => {
    const { client } = await ongoing(service, key);
    for (let count = 0; count < 8; count += 1) client.send(second);
    await roundTrip(client);
    clock.advance(1000);
    client.send(second);
    client.send(second.subarray(0, 16_000));
    await roundTrip(client);
    client.send(second.subarray(0, 640));
    assert.equal((await client.next('error')).code, 'too_much');
    assert.equal(await client.closed, 4429);
  });

  it('for audio counts at least 2.5 ms for each frame, so that many short ones are not cheaper', async () => {
    const { client } = await ongoing(service, key);
    const sample = Buffer.alloc(2);
    for (let count = 0; count < 3200; count += 1) client.send(sample);
    await roundTrip(client);
    assert.equal(client.socket.readyState, 1);
    client.send(sample);
    assert.equal((await client.next('error')).code, 'too_much');
    assert.equal(await client.closed, 4429);
  });

  for (const kind of ['ping', 'pong'] as const) {
    it(`for a ${kind} is a twentieth of a second`, async () => {
      const { client, ...call } = await ongoing(service, key);
      const played = { type: 'played', utterance: 77, samples: 1 };
      for (let count = 0; count < 20; count += 1) client.socket[kind]();
      client.send(played);
      clock.advance(50);
      client.socket[kind]();
      client.send(played);
      client.socket[kind]();
      assert.equal((await client.next('error')).code, 'too_much');
      assert.equal(await client.closed, 4429);
      assert.equal((await call.call()).status, 'ongoing');
    });
  }

  it('until it starts is 10 seconds', async () => {
    const { id, accessToken } = await newWebCall(service, key);
    const client = await joined(connect(service, id, withToken(accessToken)));
    clock.advance(9999);
    await roundTrip(client);
    clock.advance(1);
    assert.equal(await client.closed, 4408);
  });

  /** Everything before is read. */
  async function roundTrip(client: Awaited<ReturnType<typeof joined>>): Promise<void> {
    const pong = new Promise((resolve) => client.socket.once('pong', resolve));
    client.socket.ping();
    await pong;
  }
});

describe('a frame that the service cannot process', () => {
  const broken = testSpeech({
    name: 'broken',
    configured: true,
    capabilities: ['stt'],
    languages: ['en'],
    automatic: false,
    stt: () => ({
      ...createTestStt(),
      open: () => ({
        write: () => {
          throw new Error('a defect');
        },
        flush: () => {},
        close: () => {},
      }),
    }),
  });
  const service = useService(sqliteEngine(), { speech: broken });

  it('closes its socket with 1011, is logged, and leaves the call to be resumed, and others as they are', async () => {
    const { key } = await service.newKey();
    const other = await ongoing(service, key);
    const { client, resumeKey, id } = await ongoing(service, key, { agent: { sttProvider: 'broken' } });
    client.send(Buffer.alloc(640, 'TEST'));
    assert.equal(await client.closed, 1011);
    const failure = service.log.find(({ msg }) => /a frame of a call could not be processed/.test(String(msg)));
    assert.match(JSON.stringify(failure), /a defect/);
    assert.equal(failure?.callId, id);
    const again = await joined(connect(service, id, withResume(resumeKey)));
    await again.start();
    for (const each of [again, other.client]) {
      each.send({ type: 'text', text: 'Hello' });
      await each.said('Hello');
    }
  });
});

describe('a client that never starts', () => {
  const service = useService(sqliteEngine(), { calls: { clock: quickTime() } });

  it('is disconnected, and its call ends as caller_disconnected', async () => {
    const { key } = await service.newKey();
    const { id, accessToken, ...call } = await newWebCall(service, key);
    const client = await joined(connect(service, id, withToken(accessToken)));
    assert.equal(await client.closed, 4408);
    const ended = await eventually(async () => {
      const found = await call.call();
      return found.status === 'ended' && found;
    });
    assert.deepEqual([ended.endReason, ended.endedBy], ['caller_disconnected', 'caller']);
  });
});
