import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, signatureHeaders } from '../../src/core/webhook-signature.ts';

describe('a webhook signature', () => {
  const now = Math.floor(Date.now() / 1000);
  const body = '{"text":"予約 😀","n":1}';

  it('is accepted by the library of Standard Webhooks, for text and bytes', () => {
    const secret = newWebhookSecret();
    for (const sent of [body, Buffer.from(body), '', '{}']) {
      const headers = { ...signatureHeaders('evt_1', now, sent, [secret]) };
      new Webhook(secret).verify(String(sent), headers, { jsonParse: false });
    }
  });

  it('is the one of the library', () => {
    const secret = newWebhookSecret();
    const expected = new Webhook(secret).sign('evt_1', new Date(now * 1000), body);
    assert.deepEqual(signatureHeaders('evt_1', now, body, [secret]), {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(now),
      'webhook-signature': expected,
    });
  });

  it('covers id, time and body', () => {
    const secret = newWebhookSecret();
    const headers = { ...signatureHeaders('evt_1', now, body, [secret]) };
    const verify = (changed: Record<string, string>, sent = body) =>
      new Webhook(secret).verify(sent, { ...headers, ...changed });
    verify({});
    assert.throws(() => verify({ 'webhook-id': 'evt_2' }));
    assert.throws(() => verify({ 'webhook-timestamp': String(now + 1) }));
    assert.throws(() => verify({}, `${body} `));
    assert.throws(() => new Webhook(newWebhookSecret()).verify(body, headers));
  });

  it('has one part per secret, the newest first', () => {
    const secrets = [newWebhookSecret(), newWebhookSecret()] as const;
    const headers = { ...signatureHeaders('evt_1', now, body, secrets) };
    for (const secret of secrets) new Webhook(secret).verify(body, headers);
    const each = secrets.map((secret) => signatureHeaders('evt_1', now, body, [secret])['webhook-signature']);
    assert.equal(headers['webhook-signature'], each.join(' '));
  });

  it('needs a secret of 32 random bytes, which no two webhooks share', () => {
    const secrets = Array.from({ length: 100 }, newWebhookSecret);
    assert.equal(new Set(secrets).size, 100);
    for (const secret of secrets) assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  });
});
