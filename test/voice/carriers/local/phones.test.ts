import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Leg } from '../../../../src/voice/carriers/local/leg.ts';
import { wordsHeard } from '../../../../src/voice/carriers/local/test-words.ts';
import { number, World } from './world.ts';

const stream = '<Response><Connect><Stream url="ws://service.test/media/1"/></Connect></Response>';

function connectedWorld(): World {
  const world = new World();
  world.documents['/answer'] = () => stream;
  world.documents['/voice'] = () => stream;
  return world;
}

function said(leg: Leg): string {
  return wordsHeard(leg.spoken.bytes)
    .map(({ text }) => text)
    .join(' ');
}

describe('phones of the local carrier', () => {
  it('01 answers, says hello, and yes each time the other side has spoken', async () => {
    const world = connectedWorld();
    const leg = await world.dial('+99900000001');
    await world.advance(2000);
    assert.deepEqual(world.statuses(), ['initiated', 'ringing', 'in-progress']);
    assert.equal(said(leg), 'Hello this is Sam');
    world.socket.media(new Uint8Array(8000).fill(0x10));
    await world.advance(4000);
    assert.equal(said(leg), 'Hello this is Sam Yes');
    world.socket.media(new Uint8Array(8000).fill(0x10));
    await world.advance(4000);
    assert.equal(said(leg), 'Hello this is Sam Yes Yes');
    assert.equal(leg.status, 'in-progress');
  });

  for (const [digits, statuses, sipCode] of [
    ['02', ['initiated', 'busy'], '486'],
    ['05', ['initiated', 'ringing', 'busy'], '603'],
    ['07', ['initiated', 'failed'], '503'],
    ['99', ['initiated', 'failed'], '503'],
  ] as const) {
    it(`${digits} is reported as ${statuses.join(', ')}`, async () => {
      const world = connectedWorld();
      const leg = await world.dial(`+999012345${digits}`);
      await world.advance(5000);
      assert.deepEqual(world.statuses(), statuses);
      assert.equal(leg.status, statuses.at(-1));
      const [last] = world.sent('/status').slice(-1);
      assert.equal(last?.SipResponseCode, sipCode);
      assert.equal(last?.CallDuration, '0');
      assert.equal(world.sent('/answer').length, 0);
    });
  }

  it('03 rings until the timeout', async () => {
    const world = connectedWorld();
    await world.dial('+99900000003', { Timeout: '25' });
    await world.advance(25_000);
    assert.deepEqual(world.statuses(), ['initiated', 'ringing']);
    await world.advance(300);
    assert.deepEqual(world.statuses(), ['initiated', 'ringing', 'no-answer']);
  });

  it('04 is a voicemail: a greeting, then a beep', async () => {
    const world = connectedWorld();
    const leg = await world.dial('+99900000004');
    await world.advance(20_000);
    assert.match(said(leg), /leave a message after the tone$/);
    const words = wordsHeard(leg.spoken.bytes);
    const end = (words.at(-1)?.sample ?? 0) + 1600;
    // Half a second of silence, then 1,000 Hz for 400 ms: a crossing of zero every four samples.
    assert.ok(leg.spoken.bytes.subarray(end, end + 4000).every((byte) => byte === 0xff));
    const beep = leg.spoken.bytes.subarray(end + 4000, end + 4000 + 3200);
    const signs = Array.from(beep, (byte) => (byte & 0x80) !== 0);
    const crossings = signs.filter((sign, index) => index > 0 && sign !== signs[index - 1]).length;
    assert.ok(Math.abs(crossings - 800) < 5, String(crossings));
  });

  it('06 is refused as invalid, and is not called', async () => {
    const world = connectedWorld();
    const response = await world.rest('POST', '/Calls.json', {
      To: '+99900000006',
      From: number,
      Url: 'http://service.test/answer',
    });
    assert.deepEqual(response, {
      status: 400,
      body: {
        code: 21_217,
        message: 'Phone number +99900000006 does not appear to be valid.',
        more_info: 'https://www.twilio.com/docs/errors/21217',
        status: 400,
      },
    });
    assert.equal(world.carrier.log().length, 0);
  });

  it('08 answers and hangs up at once', async () => {
    const world = connectedWorld();
    const leg = await world.dial('+99900000008');
    await world.advance(3000);
    assert.deepEqual(world.statuses(), ['initiated', 'ringing', 'in-progress', 'completed']);
    assert.equal(leg.endedBy, 'phone');
  });

  it('09 is called although the response is lost, 10 is not called', async () => {
    const world = connectedWorld();
    const form = { From: number, Url: 'http://service.test/answer' };
    assert.equal(await world.rest('POST', '/Calls.json', { ...form, To: '+99900000009' }), null);
    assert.equal(await world.rest('POST', '/Calls.json', { ...form, To: '+99900000010' }), null);
    await world.advance(2000);
    assert.deepEqual(
      world.carrier.log().map(({ to, status }) => [to, status]),
      [['+99900000009', 'in-progress']],
    );
  });

  it('11 answers and is silent', async () => {
    const world = connectedWorld();
    const leg = await world.dial('+99900000011');
    await world.advance(60_000);
    assert.equal(leg.status, 'in-progress');
    assert.ok(leg.spoken.bytes.length > 400_000);
    assert.ok(leg.spoken.bytes.every((byte) => byte === 0xff));
  });

  it('12 presses 1 2 3 #', async () => {
    const world = connectedWorld();
    await world.dial('+99900000012');
    await world.advance(5000);
    assert.deepEqual(
      world.socket.of('dtmf').map(({ dtmf }) => dtmf),
      ['1', '2', '3', '#'].map((digit) => ({ track: 'inbound_track', digit })),
    );
  });

  it('13 answers after ten seconds', async () => {
    const world = connectedWorld();
    const leg = await world.dial('+99900000013');
    await world.advance(10_100);
    assert.equal(leg.status, 'ringing');
    await world.advance(200);
    assert.equal(leg.status, 'in-progress');
  });

  it('call a number: the voice URL is requested, and the call is answered by its document', async () => {
    const world = connectedWorld();
    world.carrier.addNumber(`AC${'1'.repeat(32)}`, number, { voiceUrl: 'http://service.test/voice' });
    const leg = world.carrier.callNumber({ to: number, phone: '01' });
    await world.advance(3000);
    assert.equal(said(leg), '', 'a caller waits for the other side');
    await world.advance(2000);
    const [parameters] = world.sent('/voice');
    assert.equal(parameters?.CallStatus, 'ringing');
    assert.equal(parameters?.Direction, 'inbound');
    assert.equal(parameters?.To, number);
    assert.equal(parameters?.From, '+99900000001');
    assert.equal(leg.status, 'in-progress');
    assert.equal(said(leg), 'Hello this is Sam');
  });

  it('give up if nobody answers', async () => {
    const world = connectedWorld();
    world.documents['/voice'] = () => new Promise(() => {});
    const leg = world.carrier.callNumber({ to: number, giveUpAfterMs: 4000, voiceUrl: 'http://service.test/voice' });
    await world.advance(5000);
    assert.deepEqual([leg.status, leg.endedBy], ['canceled', 'phone']);
  });

  it('of a test are steps, as data', async () => {
    const world = connectedWorld();
    const leg = world.carrier.callNumber({
      to: number,
      voiceUrl: 'http://service.test/voice',
      language: 'ja',
      phone: {
        steps: [
          { do: 'wait_for_media' },
          {
            do: 'repeat',
            times: 2,
            steps: [
              { do: 'say', text: { ja: 'お願いします' } },
              { do: 'wait', ms: 1000 },
            ],
          },
          { do: 'press', digits: '9' },
          { do: 'hang_up' },
        ],
      },
    });
    await world.advance(10_000);
    assert.deepEqual(leg.textsSaid, ['お願いします', 'お願いします']);
    assert.deepEqual([leg.keysPressed, leg.status, leg.endedBy], ['9', 'completed', 'phone']);
  });

  it('speak with a voice at their own rate, resampled to 8,000 Hz', async () => {
    const tts = {
      name: 'tone',
      notApplied: () => [],
      open: (
        { rate }: { rate: number },
        events: { audio(samples: Int16Array): void; done(): void; failed(detail: string): void },
      ) => ({
        say() {
          const sine = Int16Array.from({ length: rate }, (_, index) =>
            Math.round(9000 * Math.sin((2 * Math.PI * 500 * index) / rate)),
          );
          events.audio(sine);
          events.done();
        },
        cancel() {},
      }),
    };
    const world = new World({ voiceOf: () => ({ tts, voiceId: 'any', rate: 24_000 }) });
    world.documents['/answer'] = () => stream;
    const leg = await world.dial('+99900000001');
    await world.advance(4000);
    const loud = leg.spoken.bytes.filter((byte) => byte !== 0xff).length;
    assert.ok(loud > 7000 && loud <= 8000, String(loud));
    assert.deepEqual(leg.textsSaid, ['Hello, this is Sam.']);
    // The client of a test carrier may ask for test speech, and for a language.
    world.documents['/answer'] = () =>
      '<Response><Connect><Stream url="ws://service.test/media/1"><Parameter name="testSpeech" value="true"/><Parameter name="language" value="ja-JP"/></Stream></Connect></Response>';
    const other = await world.dial('+99900000001');
    await world.advance(4000);
    assert.deepEqual([said(other), other.textsSaid], ['もしもし', ['もしもし。']]);
  });
});
