import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import twilio from 'twilio';
import { isSignedBy, twilioSignature, upgradeUrl } from '../../../../src/voice/carriers/twilio/signature.ts';

const token = '0123456789abcdef0123456789abcdef';
const url = 'https://voice.example.com/carrier/v1/car_1/voice';
const { getExpectedTwilioSignature, validateRequest } = twilio;

const forms: Readonly<Record<string, Record<string, string>>> = {
  'of a call': {
    CallSid: 'CA1',
    From: '+81312345678',
    To: '+819012345678',
    CallStatus: 'ringing',
    ApiVersion: '2010-04-01',
  },
  'with names in both cases': { b: '1', B: '2', a: '3', A: '4', 'a b': '5', aB: '6' },
  'in Japanese, with quotes and line breaks': { CallerName: '山田 "太郎" & 😀', Text: 'a\r\nb\tc', Empty: '' },
  'without fields': {},
};

describe('A signature', () => {
  for (const [name, form] of Object.entries(forms)) {
    it(`is the one that the official package makes for a form ${name}, and accepts`, () => {
      const fields = new URLSearchParams(form);
      const signature = twilioSignature(token, url, fields);
      assert.equal(signature, getExpectedTwilioSignature(token, url, form));
      assert.ok(validateRequest(token, signature, url, form));
      assert.ok(isSignedBy(token, url, fields, getExpectedTwilioSignature(token, url, form)));
    });
  }

  it('counts a repeated field with each of its values, once', () => {
    const fields = new URLSearchParams([
      ['Event', 'ringing'],
      ['Event', 'answered'],
      ['Event', 'ringing'],
      ['A', '1'],
    ]);
    const form = { Event: ['ringing', 'answered', 'ringing'], A: '1' };
    assert.equal(twilioSignature(token, url, fields), getExpectedTwilioSignature(token, url, form));
  });

  it('may be of the address with or without its port', () => {
    const bare = 'https://voice.example.com/a?b=c';
    const withPort = 'https://voice.example.com:443/a?b=c';
    const sign = (signed: string) => getExpectedTwilioSignature(token, signed, {});
    for (const known of [bare, withPort]) {
      for (const signed of [bare, withPort]) {
        assert.ok(isSignedBy(token, known, [], sign(signed)), `${known} ${signed}`);
        assert.ok(validateRequest(token, twilioSignature(token, signed, []), known, {}));
      }
    }
    const unusual = 'https://voice.example.com:8443/a';
    assert.ok(isSignedBy(token, unusual, [], sign(unusual)));
    assert.ok(isSignedBy(token, unusual, [], sign('https://voice.example.com/a')));
    assert.ok(!isSignedBy(token, bare, [], sign('https://voice.example.com:8443/a?b=c')));
    assert.ok(isSignedBy(token, 'http://[::1]:8080/a', [], sign('http://[::1]/a')));
    assert.ok(isSignedBy(token, 'http://127.0.0.1/a', [], sign('http://127.0.0.1:80/a')));
  });

  it('of an upgrade is of the address with the scheme wss, and of no other', () => {
    const socket = upgradeUrl('https://voice.example.com/media/t');
    assert.equal(socket, 'wss://voice.example.com/media/t');
    assert.ok(isSignedBy(token, socket, [], getExpectedTwilioSignature(token, socket, {})));
    assert.ok(
      isSignedBy(token, socket, [], getExpectedTwilioSignature(token, 'wss://voice.example.com:443/media/t', {})),
    );
    const asHttps = getExpectedTwilioSignature(token, 'https://voice.example.com/media/t', {});
    assert.ok(!isSignedBy(token, socket, [], asHttps));
    assert.equal(upgradeUrl('http://127.0.0.1:8080/a'), 'ws://127.0.0.1:8080/a');
  });

  it('is refused if anything of it differs', () => {
    const fields = new URLSearchParams({ CallSid: 'CA1', To: '+1' });
    const good = twilioSignature(token, url, fields);
    const refused: readonly [string, string, URLSearchParams, string | undefined][] = [
      ['another', url, fields, good],
      [token, `${url}/`, fields, good],
      [token, url.replace('example.com', 'example.org'), fields, good],
      [token, url.replace('https', 'http'), fields, good],
      [token, url, new URLSearchParams({ CallSid: 'CA1', To: '+2' }), good],
      [token, url, new URLSearchParams({ CallSid: 'CA1' }), good],
      [token, url, fields, undefined],
      [token, url, fields, ''],
      [token, url, fields, good.slice(0, -4)],
      [token, url, fields, `${good}AAAA`],
      [token, url, fields, '!'.repeat(28)],
    ];
    assert.ok(isSignedBy(token, url, fields, good));
    for (const [index, args] of refused.entries()) assert.ok(!isSignedBy(...args), `${index}`);
  });

  it('with an empty token is nobody’s', () => {
    assert.ok(!isSignedBy('', url, [], getExpectedTwilioSignature('', url, {})));
  });
});
