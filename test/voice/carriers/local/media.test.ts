import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import twilio from 'twilio';
import type { Leg } from '../../../../src/voice/carriers/local/leg.ts';
import { Ticker } from '../../../../src/voice/carriers/local/ticker.ts';
import { accountSid, authToken, World } from './world.ts';

/** A call to a silent phone whose media socket is open since the clock was at 0 of `start`. */
async function streaming(document?: string): Promise<{ world: World; leg: Leg; startMs: number }> {
  const world = new World();
  world.documents['/answer'] = () =>
    document ??
    '<Response><Connect><Stream url="ws://service.test/media/token" statusCallback="/stream"/></Connect><Redirect>/rejoin</Redirect></Response>';
  const leg = await world.dial('+99900000011');
  await world.advance(1200);
  return { world, leg, startMs: world.clock.now() };
}

function sound(ms: number, byte = 0x20): Uint8Array {
  return new Uint8Array(ms * 8).fill(byte);
}

describe('the media socket of the local carrier', () => {
  it('starts with connected and start, and is signed for its own address', async () => {
    const { world, leg } = await streaming();
    const [connected, start] = world.socket.messages;
    assert.deepEqual(connected, { event: 'connected', protocol: 'Call', version: '1.0.0', atMs: connected?.atMs });
    assert.equal(start?.sequenceNumber, '1');
    assert.match(start?.streamSid, /^MZ[0-9a-f]{32}$/);
    assert.deepEqual(start?.start, {
      accountSid,
      streamSid: start?.streamSid,
      callSid: leg.sid,
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
      customParameters: {},
    });
    const signature = world.socket.headers['x-twilio-signature'] ?? '';
    assert.ok(twilio.validateRequest(authToken, signature, 'ws://service.test/media/token', {}));
    assert.ok(!twilio.validateRequest(authToken, signature, 'http://service.test/media/token', {}));
  });

  it('sends 20 ms of audio every 20 ms, numbered by strings', async () => {
    const { world, startMs } = await streaming();
    await world.advance(1000);
    const media = world.socket.of('media');
    assert.equal(media.length, 50);
    for (const [index, { atMs, media: frame, sequenceNumber }] of media.entries()) {
      assert.equal(atMs, startMs + 20 * (index + 1));
      assert.equal(sequenceNumber, String(index + 2));
      assert.equal(frame.chunk, String(index + 1));
      assert.equal(frame.timestamp, String(20 * index));
      assert.equal(Buffer.from(frame.payload, 'base64').length, 160);
      assert.equal(frame.track, 'inbound');
    }
  });

  it('plays what it gets in order and without gaps, whatever the chunks', async () => {
    const { world, leg } = await streaming();
    const before = leg.heard.bytes.length;
    const audio = Uint8Array.from({ length: 4000 }, (_, index) => index % 251);
    for (let at = 0; at < audio.length; at += 333) world.socket.media(audio.subarray(at, at + 333));
    await world.advance(1000);
    assert.deepEqual(leg.heard.bytes.slice(before, before + audio.length), audio);
    assert.ok(leg.heard.bytes.subarray(before + audio.length).every((byte) => byte === 0xff));
  });

  it('returns a mark when everything before it has been played', async () => {
    const { world, startMs } = await streaming();
    world.socket.mark('nothing before');
    assert.deepEqual(world.socket.marks(), [['nothing before', startMs]]);
    world.socket.media(sound(100));
    world.socket.mark('one');
    world.socket.media(sound(200));
    world.socket.mark('two');
    world.socket.mark('three');
    await world.advance(1000);
    // The first frame is played from startMs + 20 on.
    assert.deepEqual(world.socket.marks().slice(1), [
      ['one', startMs + 120],
      ['two', startMs + 320],
      ['three', startMs + 320],
    ]);
  });

  it('drops at clear what was not played, and returns its marks at once', async () => {
    const { world, leg, startMs } = await streaming();
    world.socket.media(sound(100));
    world.socket.mark('played');
    world.socket.media(sound(1000));
    world.socket.mark('dropped');
    await world.advance(500);
    world.socket.clear();
    assert.deepEqual(world.socket.marks(), [
      ['played', startMs + 120],
      ['dropped', startMs + 500],
    ]);
    await world.advance(1000);
    const heard = leg.heard.bytes.filter((byte) => byte === 0x20).length;
    assert.equal(heard, 8 * 500);
    world.socket.media(sound(20));
    world.socket.mark('after');
    await world.advance(100);
    assert.equal(world.socket.marks().at(-1)?.[0], 'after');
  });

  it('ends with the call: stop, and the socket is closed', async () => {
    const { world, leg } = await streaming();
    await world.rest('POST', `/Calls/${leg.sid}.json`, { Status: 'completed' });
    await world.advance(100);
    const last = world.socket.messages.at(-1);
    assert.equal(last?.event, 'stop');
    assert.deepEqual(last?.stop, { accountSid, callSid: leg.sid });
    assert.ok(world.socket.isClosed);
    assert.deepEqual(
      world.sent('/stream').map(({ StreamEvent }) => StreamEvent),
      ['stream-started', 'stream-stopped'],
    );
    assert.deepEqual(world.carrier.notifications, []);
    assert.equal(world.sent('/rejoin').length, 0);
  });

  it('goes on with the next verb once the server closes it', async () => {
    const { world, leg } = await streaming();
    world.documents['/rejoin'] = () => '<Response><Hangup/></Response>';
    await world.advance(5000);
    assert.equal(world.sent('/rejoin').length, 0);
    world.socket.close();
    await world.advance(100);
    assert.equal(world.sent('/rejoin')[0]?.CallStatus, 'in-progress');
    assert.deepEqual([leg.status, leg.endedBy], ['completed', 'document']);
  });

  it('is stopped when the call is redirected by request, and the new document runs', async () => {
    const { world, leg } = await streaming();
    await world.rest('POST', `/Calls/${leg.sid}.json`, { Twiml: '<Response><Say>other words</Say></Response>' });
    await world.advance(100);
    assert.equal(world.socket.messages.at(-1)?.event, 'stop');
    assert.ok(world.socket.isClosed);
    await world.advance(2000);
    assert.deepEqual([leg.textsHeard, leg.status], [['other words'], 'completed']);
    assert.equal(world.sent('/rejoin').length, 0);
  });

  it('keeps the pace of the clock although timers are late', () => {
    let now = 0;
    let due = (): void => {};
    const ticker = new Ticker({
      now: () => now,
      after: (_ms, run) => {
        due = run;
        return () => {};
      },
    });
    const steps: string[] = [];
    for (const name of ['a', 'b']) {
      ticker.add({ collect: () => steps.push(`${name} says`), deliver: () => steps.push(`${name} hears`) });
    }
    now = 20;
    due();
    assert.deepEqual(steps, ['a says', 'b says', 'a hears', 'b hears']);
    now = 1019;
    due();
    assert.equal(steps.length, 4 * 50);
    now = 1020;
    due();
    assert.equal(steps.length, 4 * 51);
  });

  it('that cannot be opened is reported, and the next verb runs', async () => {
    const world = new World({
      openSocket: (_url, _headers, events) => {
        queueMicrotask(() => events.closed(true));
        return { send: () => {}, close: () => {}, cut: () => {} };
      },
    });
    world.documents['/answer'] = () =>
      '<Response><Connect><Stream url="ws://service.test/media" statusCallback="/stream"/></Connect><Hangup/></Response>';
    const leg = await world.dial('+99900000011');
    await world.advance(2000);
    assert.deepEqual(
      world.sent('/stream').map(({ StreamEvent, CallSid }) => [StreamEvent, CallSid]),
      [['stream-error', leg.sid]],
    );
    assert.equal(world.carrier.notifications[0]?.code, 31_920);
    assert.deepEqual([leg.status, leg.endedBy], ['completed', 'document']);
  });

  it('passes the parameters of the stream on, and reports messages that Twilio does not know', async () => {
    const { world } = await streaming(
      '<Response><Connect><Stream url="ws://service.test/m?query=1"><Parameter name="a" value="b"/></Stream></Connect></Response>',
    );
    assert.equal(world.socket.url, 'ws://service.test/m');
    assert.deepEqual(world.socket.of('start')[0]?.start.customParameters, { a: 'b' });
    assert.equal(world.carrier.violations.length, 1);
    world.socket.events.message('no json');
    world.socket.send({ event: 'dance' });
    world.socket.send({ event: 'media', media: { payload: '%%%' } });
    world.socket.send({ event: 'clear', streamSid: 'MZ0' });
    assert.equal(world.carrier.violations.length, 5);
  });

  it('does not buffer without limit', async () => {
    const { world } = await streaming();
    for (let count = 0; count < 121; count += 1) world.socket.media(sound(1000));
    assert.match(world.carrier.violations.at(-1)?.message ?? '', /two minutes/);
  });
});
