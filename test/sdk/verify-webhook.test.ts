import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { Webhook as Verifier } from 'standardwebhooks';
import { build } from 'vite';
import { verifyWebhook, WebhookVerificationError } from '../../sdk/src/index.ts';
import { newWebhookSecret, signatureHeaders } from '../../src/core/webhook-signature.ts';

const now = () => Math.floor(Date.now() / 1000);

describe('verifyWebhook', () => {
  it('agrees with the reference library on 1,000 deliveries, and accepts none with a flipped bit', async () => {
    const secret = newWebhookSecret();
    for (let index = 0; index < 1000; index += 1) {
      const body = JSON.stringify({
        type: 'webhook_test',
        data: { message: randomBytes(1 + (index % 40)).toString('base64'), text: '予約' },
      });
      const headers = { ...signatureHeaders(`evt_${index}`, now(), body, [secret]) };
      assert.deepEqual(await verifyWebhook(body, headers, secret), JSON.parse(body));
      assert.deepEqual(new Verifier(secret).verify(body, headers), JSON.parse(body));
      const bytes = Buffer.from(body);
      const place = index % bytes.length;
      bytes[place] = (bytes[place] as number) ^ (1 << (index % 8));
      await assert.rejects(verifyWebhook(bytes, headers, secret), WebhookVerificationError);
    }
  });

  it('accepts any of several secrets and signatures, and headers of fetch and of Node.js', async () => {
    const [old, current, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()] as const;
    const body = '{"type":"webhook_test"}';
    const headers = { ...signatureHeaders('evt_1', now(), body, [current, old]) };
    for (const secret of [old, current, [other, old]]) await verifyWebhook(body, headers, secret);
    await verifyWebhook(new TextEncoder().encode(body), new Headers(headers), current);
    await verifyWebhook(body, { ...headers, 'webhook-signature': `v2,x ${headers['webhook-signature']}` }, current);
    await assert.rejects(verifyWebhook(body, headers, other), WebhookVerificationError);
    await assert.rejects(verifyWebhook(body, headers, []), WebhookVerificationError);
    await assert.rejects(verifyWebhook(body, headers, 'whsec_???'), WebhookVerificationError);
  });

  it('refuses what is too old, too new or incomplete', async () => {
    const secret = newWebhookSecret();
    const body = '{}';
    const at = (seconds: number) => ({ ...signatureHeaders('evt_1', now() + seconds, body, [secret]) });
    for (const offset of [-290, 0, 290]) await verifyWebhook(body, at(offset), secret);
    for (const offset of [-310, 310])
      await assert.rejects(verifyWebhook(body, at(offset), secret), WebhookVerificationError);
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      await assert.rejects(verifyWebhook(body, { ...at(0), [name]: undefined }, secret), WebhookVerificationError);
    }
    await assert.rejects(verifyWebhook(body, { ...at(0), 'webhook-id': 'evt_2' }, secret), WebhookVerificationError);
    const toleranceSeconds = Number.NaN;
    await assert.rejects(verifyWebhook(body, at(-310), secret, { toleranceSeconds }), WebhookVerificationError);
  });

  it('needs nothing of a runtime but a few Web APIs, as edge runtimes have them', async () => {
    const context = createContext({ crypto, TextEncoder, TextDecoder, atob, Headers });
    runInContext(await bundledSdk(), context);
    const verify = runInContext('sdk.verifyWebhook', context) as typeof verifyWebhook;
    const secret = newWebhookSecret();
    const body = '{"type":"webhook_test","data":{"message":"予約"}}';
    const headers = { ...signatureHeaders('evt_1', now(), body, [newWebhookSecret(), secret]) };
    for (const given of [body, new TextEncoder().encode(body)]) {
      const event = await verify(given, new Headers(headers), secret);
      assert.equal(JSON.stringify(event), body);
    }
    for (const wrong of [
      verify(body.replace('約', '定'), headers, secret),
      verify(body, headers, newWebhookSecret()),
    ]) {
      await assert.rejects(wrong, { name: 'WebhookVerificationError' });
    }
  });
});

/** The SDK as one script, which defines `sdk`. */
async function bundledSdk(): Promise<string> {
  const output = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: {
        input: join(import.meta.dirname, '..', '..', 'sdk', 'src', 'index.ts'),
        preserveEntrySignatures: 'strict',
        output: { format: 'iife', name: 'sdk' },
      },
      modulePreload: { polyfill: false },
    },
  });
  const [first] = Array.isArray(output) ? output : [output];
  if (first === undefined || !('output' in first)) throw new Error('there is no bundle');
  return first.output[0].code;
}
