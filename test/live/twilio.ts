/**
 * `npm run test:live -- twilio`: what the documentation of Twilio leaves open, with the operator's own account. Its calls
 * cost money, so it is no test file, and never part of CI. docs/phone.md lists the points.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encodeMulaw } from '../../src/voice/audio/g711.ts';
import { keyTone } from '../../src/voice/audio/tones.ts';
import type { CarrierClient } from '../../src/voice/carriers/carrier.ts';
import { createTwilioClient } from '../../src/voice/carriers/twilio/client.ts';
import { clearFrame } from '../../src/voice/carriers/twilio/media-frames.ts';
import { LiveLine } from './line.ts';

const {
  TWILIO_BASE_URL: baseUrl = 'https://api.twilio.com',
  TWILIO_ACCOUNT_SID: accountSid = '',
  TWILIO_AUTH_TOKEN: authToken = '',
  TWILIO_API_KEY_SID: apiKeySid,
  TWILIO_API_KEY_SECRET: apiKeySecret,
  LIVE_TWILIO_NUMBER: number,
  LIVE_TWILIO_TO: to,
  LIVE_PUBLIC_URL: publicUrl,
  LIVE_PORT: port = '8090',
} = process.env;

const client = createTwilioClient({ baseUrl, credentials: { accountSid, authToken } });
const needs = (values: Readonly<Record<string, string | undefined>>) => {
  const missing = Object.keys(values).filter((name) => !values[name]);
  return { skip: missing.length === 0 ? false : `set ${missing.join(', ')}` };
};
const forCalls = needs({ LIVE_TWILIO_NUMBER: number, LIVE_TWILIO_TO: to, LIVE_PUBLIC_URL: publicUrl });

describe('credentials', () => {
  it('read the account with the auth token', async () => {
    assert.deepEqual(await client.checkCredentials(), { passed: true });
  });

  it(
    'list calls with a standard API key',
    needs({ TWILIO_API_KEY_SID: apiKeySid, TWILIO_API_KEY_SECRET: apiKeySecret }),
    async () => {
      const credentials = { accountSid, authToken, apiKeySid: apiKeySid ?? '', apiKeySecret: apiKeySecret ?? '' };
      assert.deepEqual(await createTwilioClient({ baseUrl, credentials }).checkCredentials(), { passed: true });
    },
  );

  it('are refused with a wrong auth token', async () => {
    const wrong = createTwilioClient({ baseUrl, credentials: { accountSid, authToken: '0'.repeat(32) } });
    assert.equal((await wrong.checkCredentials()).passed, false);
  });
});

describe('number', () => {
  it('is found with its voice URL, trunk and application', needs({ LIVE_TWILIO_NUMBER: number }), async (context) => {
    const found = await client.findNumber(number ?? '');
    assert.ok(found !== null, 'it is not in this account');
    assert.ok(found.hasVoice, 'it has no capability Voice');
    assert.ok((await client.listNumbers()).some((one) => one.number === number));
    context.diagnostic(`overridden by: ${found.overriddenBy ?? 'nothing'}`);
  });
});

describe('call: answer the phone, listen, and press 1 after the tones', forCalls, () => {
  const line = new LiveLine(publicUrl ?? 'http://127.0.0.1', authToken);
  before(() => line.open(Number(port)));
  after(() => line.close());

  it('is found by To and From right after the request', async () => {
    const since = Date.now() - 5000;
    const providerCallId = await dialed(client, line);
    const found = await client.findCalls({ to: to ?? '', from: number ?? '', since });
    assert.ok(found.some((call) => call.providerCallId === providerCallId));
  });

  it('sends signed reports, and asks for our document with a signature', async () => {
    const answer = await line.seen('answer', 60_000);
    assert.ok(answer !== null, 'nobody answered');
    assert.ok(answer.isSigned, 'the request is not signed over the public address');
    assert.equal((await line.seen('status ringing', 5000))?.isSigned ?? true, true);
  });

  it('opens the media socket with a signature over its wss address', async () => {
    assert.equal((await line.seen('socket', 10_000))?.isSigned, true);
    assert.ok((await line.seen('start', 5000)) !== null);
    assert.ok((await line.seen('audio', 5000)) !== null);
  });

  it('returns marks after playback, and those of cleared audio at once', async (context) => {
    line.play(tones('123'), 'tones');
    assert.ok((await line.seen('mark tones', 10_000)) !== null);
    const key = await line.seen('key 1', 10_000);
    context.diagnostic(key === null ? 'no key was pressed: repeat it to check keys of the caller' : 'key 1 arrived');
    const begin = performance.now();
    line.play(Buffer.alloc(8000 * 20, 0xff), 'cleared');
    line.send(clearFrame);
    assert.ok((await line.seen('mark cleared', 5000)) !== null);
    context.diagnostic(`the mark of 20 s of cleared audio came after ${Math.round(performance.now() - begin)} ms`);
    assert.ok(!line.happenings.some(({ what }) => what === 'malformed frame'));
  });

  it('goes on with the next instruction once we close the socket', async () => {
    line.hangUpSocket({ abnormally: false });
    assert.equal((await line.seen('rejoin', 10_000))?.isSigned, true);
    assert.equal((await line.seen('status completed', 30_000))?.isSigned, true);
  });
});

describe('drop: answer the phone once more', forCalls, () => {
  const line = new LiveLine(publicUrl ?? 'http://127.0.0.1', authToken);
  before(() => line.open(Number(port)));
  after(() => line.close());

  it('goes on with the next instruction after an abnormal end of the socket', async (context) => {
    const providerCallId = await dialed(client, line);
    assert.ok((await line.seen('start', 60_000)) !== null, 'nobody answered');
    const begin = performance.now();
    line.hangUpSocket({ abnormally: true });
    const rejoin = await line.seen('rejoin', 10_000);
    const ms = Math.round(performance.now() - begin);
    context.diagnostic(rejoin === null ? 'no request: the service has to redirect the call' : `asked after ${ms} ms`);
    // Without a request of its own, the service moves the call by REST after 5 s.
    if (rejoin === null) assert.ok(await client.redirect(providerCallId, { url: line.address('/rejoin') }));
    assert.ok((await line.seen('status completed', 30_000)) !== null);
  });
});

async function dialed(carrier: CarrierClient, line: LiveLine): Promise<string> {
  const outcome = await carrier.dial({
    to: to ?? '',
    from: number ?? '',
    answerUrl: line.address('/answer'),
    statusUrl: line.address('/status'),
    ringTimeoutMs: 40_000,
    maxDurationMs: 120_000,
    machineDetectionUrl: null,
  });
  assert.equal(outcome.what, 'confirmed', 'detail' in outcome ? outcome.detail : '');
  return outcome.what === 'confirmed' ? outcome.providerCallId : '';
}

/** The tones of keys, with pauses. */
function tones(keys: string): Buffer {
  const pause = Buffer.alloc(800, 0xff);
  return Buffer.concat([...keys].flatMap((key) => [encodeMulaw(keyTone(key, 8000) ?? new Int16Array()), pause]));
}
