import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import twilio from 'twilio';
import { ConnectionFailed } from '../../../../src/voice/carriers/local/ports.ts';
import { wordsHeard } from '../../../../src/voice/carriers/local/test-words.ts';
import { accountSid, number, World } from './world.ts';

const { VoiceResponse } = twilio.twiml;
const voiceUrl = 'http://service.test/voice';

/** An inbound call of a phone, answered with a document that is built with Twilio's own package. */
function inbound(phone: string, build: (response: InstanceType<typeof VoiceResponse>) => unknown) {
  const world = new World();
  world.documents['/voice'] = () => {
    const response = new VoiceResponse();
    build(response);
    return response.toString();
  };
  const leg = world.carrier.callNumber({ to: number, phone, voiceUrl, statusCallback: 'http://service.test/status' });
  return { world, leg };
}

const hangup = '<Response><Hangup/></Response>';

describe('the verbs of the local carrier', () => {
  it('Say, Pause and Play take their time, in order; the end of the document hangs up', async () => {
    const { world, leg } = inbound('11', (response) => {
      response.say('one two');
      response.pause({ length: 3 });
      response.play('https://example.com/tone.wav');
      response.play({ digits: '1w2' });
    });
    // Two words of 200 ms, 3 s, 1 s of a tone, two keys and half a second.
    await world.advance(5200);
    assert.equal(leg.status, 'in-progress');
    await world.advance(300);
    assert.deepEqual([leg.status, leg.endedBy, leg.keysHeard], ['completed', 'document', '12']);
    assert.deepEqual(
      wordsHeard(leg.heard.bytes).map(({ text }) => text),
      ['one', 'two'],
    );
    const [completed] = world.sent('/status');
    assert.deepEqual(
      [completed?.CallStatus, completed?.CallDuration, completed?.Duration, completed?.CallbackSource],
      ['completed', '5', '1', 'call-progress-events'],
    );
  });

  it('Reject ends the call without answering it', async () => {
    const { world, leg } = inbound('01', (response) => response.reject({ reason: 'busy' }));
    await world.advance(1000);
    assert.deepEqual([leg.status, leg.answeredAt, world.sent('/status')[0]?.CallStatus], ['busy', null, 'busy']);
  });

  it('Redirect runs another document, relative to the one before', async () => {
    const { world, leg } = inbound('11', (response) => response.redirect('other?a=1'));
    world.documents['/other'] = () => hangup;
    await world.advance(1000);
    assert.equal(world.webhooks[1]?.request.url, 'http://service.test/other?a=1');
    assert.equal(leg.status, 'completed');
  });

  it('a loop of redirects ends', async () => {
    const { world, leg } = inbound('11', (response) => response.redirect('/voice'));
    await world.advance(20_000);
    assert.equal(leg.status, 'completed');
    assert.equal(world.sent('/voice').length, 1000);
  });

  it('Gather collects keys up to #, or what is said', async () => {
    const keys = inbound('12', (response) =>
      response.gather({ input: ['dtmf', 'speech'], action: '/result' }).say('Please press a key'),
    );
    keys.world.documents['/result'] = () => hangup;
    await keys.world.advance(5000);
    assert.deepEqual(
      keys.world.sent('/result').map(({ Digits, FinishedOnKey }) => [Digits, FinishedOnKey]),
      [['123', '#']],
    );

    const speech = inbound('01', (response) =>
      response.gather({ input: ['dtmf', 'speech'], action: '/result' }).pause({ length: 1 }),
    );
    speech.world.documents['/result'] = () => hangup;
    await speech.world.advance(5000);
    assert.deepEqual(
      speech.world.sent('/result').map(({ SpeechResult }) => SpeechResult),
      ['Hello, this is Sam.'],
    );
  });

  it('Gather goes on after its timeout if there was nothing', async () => {
    const { world, leg } = inbound('11', (response) => {
      response.gather({ action: '/result', timeout: 7 }).say('one');
      response.say('two');
    });
    await world.advance(7100);
    assert.deepEqual(leg.textsHeard, ['one']);
    await world.advance(300);
    assert.deepEqual(leg.textsHeard, ['one', 'two']);
    assert.equal(world.sent('/result').length, 0);
  });

  it('Dial connects another phone, with keys and reports, and then requests its action', async () => {
    const { world, leg } = inbound('01', (response) =>
      response
        .dial({ action: '/dial', callerId: number, timeout: 20 })
        .number(
          { sendDigits: 'w42', statusCallback: '/leg', statusCallbackEvent: ['answered', 'completed'] },
          '+99900000020',
        ),
    );
    world.documents['/dial'] = () => hangup;
    await world.advance(4000);
    const [, child] = world.carrier.log();
    assert.deepEqual(
      [child?.direction, child?.parentCallSid, child?.from, child?.keysHeard],
      ['outbound-dial', leg.sid, number, '42'],
    );
    await world.advance(30_000);
    const [action] = world.sent('/dial');
    assert.deepEqual(
      [action?.DialCallStatus, action?.DialCallSid, action?.DialBridged, action?.CallSid],
      ['completed', child?.sid, 'true', leg.sid],
    );
    assert.ok(Number(action?.DialCallDuration) >= 10);
    assert.deepEqual(
      world.sent('/leg').map(({ CallStatus, CallSid, ParentCallSid }) => [CallStatus, CallSid, ParentCallSid]),
      [
        ['in-progress', child?.sid, leg.sid],
        ['completed', child?.sid, leg.sid],
      ],
    );
    for (const heard of [leg.heard.bytes, world.carrier.leg(child?.sid ?? '')?.heard.bytes ?? new Uint8Array()]) {
      const words = wordsHeard(heard).map(({ text }) => text);
      assert.ok(words.includes('Hello'), 'both hear the other phone');
    }
  });

  for (const [to, callerId, status, code] of [
    ['+99900000002', number, 'busy', null],
    ['+99900000003', number, 'no-answer', null],
    ['+99900000007', number, 'failed', null],
    ['+99900000021', number, 'busy', null],
    ['+99900000006', number, 'failed', 13_224],
    ['12', number, 'failed', 13_224],
    ['+81312345678', number, 'failed', 13_227],
    ['+99900000020', '+15005550006', 'failed', 13_214],
  ] as const) {
    it(`Dial of ${to} as ${callerId} is ${status}`, async () => {
      const { world } = inbound('11', (response) => response.dial({ action: '/dial', callerId, timeout: 10 }, to));
      world.documents['/dial'] = () => hangup;
      await world.advance(15_000);
      assert.equal(world.sent('/dial')[0]?.DialCallStatus, status);
      assert.equal(world.sent('/dial')[0]?.DialBridged, 'false');
      assert.equal(world.carrier.notifications[0]?.code ?? null, code);
    });
  }

  it('Dial without an action goes on with the next verb', async () => {
    const { world, leg } = inbound('11', (response) => {
      response.dial({ callerId: number }, '+99900000002');
      response.say('busy');
    });
    await world.advance(3000);
    assert.deepEqual([leg.textsHeard, leg.status], [['busy'], 'completed']);
  });

  it('a redirect by request interrupts Dial: its action is requested and not run, then the new document', async () => {
    const { world, leg } = inbound('11', (response) =>
      response.dial({ action: '/dial', callerId: number }, '+99900000011'),
    );
    world.documents['/dial'] = () => hangup;
    world.documents['/new'] = () => '<Response><Pause length="60"/></Response>';
    await world.advance(5000);
    await world.rest('POST', `/Calls/${leg.sid}.json`, { Url: 'http://service.test/new' });
    await world.advance(1000);
    assert.deepEqual(
      world.webhooks.map(({ request }) => new URL(request.url).pathname),
      ['/voice', '/dial', '/new'],
    );
    assert.equal(world.sent('/dial')[0]?.DialCallStatus, 'completed');
    assert.equal(leg.status, 'in-progress');
    assert.equal(world.carrier.log()[1]?.status, 'completed');
  });

  it('Conference joins two legs, and ends for both when one with endConferenceOnExit leaves', async () => {
    const { world, leg } = inbound('01', (response) =>
      response.dial({ action: '/after' }).conference({ endConferenceOnExit: true }, 'room'),
    );
    world.documents['/after'] = () => hangup;
    world.documents['/answer'] = () =>
      '<Response><Dial action="/other"><Conference endConferenceOnExit="true">room</Conference></Dial></Response>';
    world.documents['/other'] = () => hangup;
    const other = await world.dial('+99900000012');
    await world.advance(5000);
    assert.deepEqual([leg.status, other.status], ['in-progress', 'in-progress']);
    assert.deepEqual(
      wordsHeard(other.heard.bytes).map(({ text }) => text),
      ['Hello', 'this', 'is', 'Sam'],
    );
    leg.hangUp();
    await world.advance(1000);
    assert.equal(other.status, 'completed');
    assert.match(world.sent('/other')[0]?.ConferenceSid ?? '', /^CF/);
  });

  for (const [to, parameters] of [
    ['+99900000020', { Digits: '1' }],
    ['+99900000021', { SpeechResult: 'No.' }],
  ] as const) {
    it(`${to}, called by request, listens to a question and answers ${Object.values(parameters)}`, async () => {
      const world = new World();
      world.documents['/answer'] = () =>
        '<Response><Gather input="dtmf speech" numDigits="1" action="/result"><Say>A call for you. Press 1 or say yes.</Say></Gather></Response>';
      world.documents['/result'] = () => hangup;
      await world.dial(to);
      await world.advance(10_000);
      const [result = {}] = world.sent('/result');
      assert.deepEqual({ ...result, ...parameters }, result);
    });
  }

  it('a document that fails is followed by the fallback URL, or by an apology and the end', async () => {
    const world = new World();
    const failures = [
      [{ status: 500, contentType: 'text/xml', body: '' }, 11_200],
      [{ status: 200, contentType: 'application/json', body: '{}' }, 12_300],
      [{ status: 200, contentType: 'text/xml', body: '<Response><Say>' }, 12_100],
      [{ status: 200, contentType: 'text/xml', body: '<Response><Dance/></Response>' }, 12_200],
      [{ status: 200, contentType: 'text/xml', body: '<Response><Say tone="x">a</Say></Response>' }, 12_200],
    ] as const;
    world.documents['/fallback'] = () => hangup;
    for (const [index, [response, code]] of failures.entries()) {
      world.documents['/voice'] = () => response;
      world.carrier.addNumber(accountSid, number, { voiceUrl });
      const leg = world.carrier.callNumber({ to: number, phone: '11' });
      await world.advance(10_000);
      assert.deepEqual([leg.status, leg.endedBy], ['completed', 'document']);
      assert.match(leg.textsHeard[0] ?? '', /application error/);
      assert.equal(world.carrier.notifications.at(-1)?.code, code);
      world.carrier.addNumber(accountSid, number, { voiceUrl, voiceFallbackUrl: 'http://service.test/fallback' });
      world.carrier.callNumber({ to: number, phone: '11' });
      await world.advance(1000);
      const fallback = world.sent('/fallback')[index];
      assert.deepEqual([fallback?.ErrorCode, fallback?.ErrorUrl], [String(code), voiceUrl]);
    }
    // Wrong documents are violations; a server that fails is not.
    assert.equal(world.carrier.violations.length, 8);
  });

  it('a webhook is tried twice if the server cannot be reached, and once if it was', async () => {
    for (const [error, attempts] of [
      [new ConnectionFailed(), 2],
      [new Error(), 1],
    ] as const) {
      let count = 0;
      const world = new World({
        sendWebhook: () => {
          count += 1;
          return Promise.reject(error);
        },
      });
      world.carrier.callNumber({ to: number, phone: '11', voiceUrl });
      await world.advance(1000);
      assert.equal(count, attempts);
    }
  });

  it('a document that takes longer than 15 s counts as failed', async () => {
    const world = new World();
    world.documents['/voice'] = () => new Promise(() => {});
    const leg = world.carrier.callNumber({ to: number, phone: '11', voiceUrl });
    await world.advance(14_900);
    assert.equal(leg.status, 'ringing');
    await world.advance(200);
    assert.equal(world.carrier.notifications[0]?.code, 11_205);
  });

  it('a redirect by request does not wait for a document that hangs', async () => {
    const world = new World();
    world.documents['/answer'] = () => new Promise(() => {});
    world.documents['/new'] = () => hangup;
    const leg = await world.dial('+99900000011');
    await world.advance(2000);
    await world.rest('POST', `/Calls/${leg.sid}.json`, { Url: 'http://service.test/new' });
    await world.advance(100);
    assert.equal(leg.status, 'completed');
  });

  it('a call ends after its time limit', async () => {
    const world = new World();
    world.documents['/answer'] = () => '<Response><Pause length="600"/></Response>';
    const leg = await world.dial('+99900000011', { TimeLimit: '30' });
    await world.advance(31_100);
    assert.equal(leg.status, 'in-progress');
    await world.advance(200);
    assert.deepEqual([leg.status, leg.endedBy, leg.durationSeconds], ['completed', 'carrier', 30]);
  });

  it('a request changes the time limit of a call, of its whole duration', async () => {
    const world = new World();
    world.documents['/answer'] = () => '<Response><Pause length="600"/></Response>';
    const leg = await world.dial('+99900000011', { TimeLimit: '600' });
    const limit = (seconds: string) => world.rest('POST', `/Calls/${leg.sid}.json`, { TimeLimit: seconds });
    assert.equal((await limit('30'))?.status, 400, 'it is not answered yet');
    await world.advance(11_200);
    assert.equal(leg.status, 'in-progress');
    await limit('20');
    await limit('30');
    await world.advance(19_900);
    assert.equal(leg.status, 'in-progress');
    await world.advance(200);
    assert.deepEqual([leg.status, leg.endedBy, leg.durationSeconds], ['completed', 'carrier', 30]);
  });

  for (const [digits, mode, answeredBy] of [
    ['01', 'Enable', 'human'],
    ['04', 'Enable', 'machine_start'],
    ['04', 'DetectMessageEnd', 'machine_end_beep'],
    ['11', 'DetectMessageEnd', 'unknown'],
  ] as const) {
    it(`detection (${mode}) of ${digits} finds ${answeredBy}, before or beside the document`, async () => {
      const world = new World();
      world.documents['/answer'] = () => '<Response><Pause length="60"/></Response>';
      const detection = { MachineDetection: mode };
      await world.dial(`+999000000${digits}`, detection);
      await world.advance(30_000);
      assert.equal(world.sent('/answer')[0]?.AnsweredBy, answeredBy);

      const leg = await world.dial(`+999000000${digits}`, {
        ...detection,
        AsyncAmd: 'true',
        AsyncAmdStatusCallback: 'http://service.test/amd',
      });
      await world.advance(1300);
      assert.equal(world.sent('/answer').length, 2);
      assert.equal(world.sent('/answer')[1]?.AnsweredBy, undefined);
      await world.advance(30_000);
      const [amd] = world.sent('/amd');
      assert.deepEqual([amd?.CallSid, amd?.AnsweredBy], [leg.sid, answeredBy]);
      assert.ok(Number(amd?.MachineDetectionDuration) > 1000);
    });
  }
});
