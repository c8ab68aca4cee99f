import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type KeyLogDouble, startKeyLogDouble } from '../../providers/key-log-double.ts';
import { sendJson } from '../../providers/socket-double.ts';
import { send } from '../../support/client.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { httpsReceiver } from '../../support/receiver.ts';
import { startService, useService } from '../../support/service.ts';

describe('providers.verify', () => {
  const own = useService(sqliteEngine());
  let double: KeyLogDouble;
  let key = '';
  before(async () => {
    double = await startKeyLogDouble();
    ({ key } = await own.newKey());
  });
  after(() => double.close());

  const verify = async (provider: string) =>
    (await send(own, 'POST', `/api/v1/providers/${provider}/verify`, { key })).json;
  const put = async (provider: string, more: object = {}) => {
    const body = { apiKey: 'good-0000-1111', baseUrl: double.baseUrl(provider), ...more };
    const set = provider === 'embeddings' ? { model: 'small', ...body } : body;
    const answer = await send(own, 'PUT', `/api/v1/providers/${provider}/credentials`, { key, body: set });
    assert.equal(answer.status, 200, answer.text);
  };

  for (const [provider, path, accepted, rejected] of [
    ['openai', '/models', 'The server accepts the key.', 'The server does not accept the key (HTTP 401).'],
    ['deepgram', '/v1/auth/token', 'Deepgram accepts the key.', 'Deepgram does not accept the key (HTTP 401).'],
    ['elevenlabs', '/v2/voices', 'ElevenLabs accepts the key.', 'ElevenLabs does not accept the key (HTTP 401).'],
    ['cartesia', '/voices', 'Cartesia accepts the key.', 'Cartesia does not accept the key (HTTP 401).'],
    ['embeddings', '/embeddings', 'The server accepts the key.', 'The server does not accept the key (HTTP 401).'],
  ] as const) {
    it(`of ${provider} asks for one thing that needs the key, and says whether it is accepted`, async () => {
      await put(provider);
      const before = double.seen.length;
      const good = await verify(provider);
      assert.deepEqual([good.ok, good.problem, good.message, good.statusCode], [true, null, accepted, 200]);
      assert.equal(good.source, 'workspace');
      const seen = double.seen.slice(before).map((each) => [each.provider, each.path, each.key]);
      assert.deepEqual(seen, [[provider, path, 'good-0000-1111']]);
      await put(provider, { apiKey: 'bad-0000-1111' });
      const bad = await verify(provider);
      assert.deepEqual([bad.ok, bad.problem, bad.statusCode], [false, 'key_rejected', 401]);
      assert.ok(bad.message.startsWith(rejected), bad.message);
      await put(provider, { apiKey: null });
      assert.equal((await verify(provider)).problem, 'key_missing');
    });
  }

  it('says what an answer means, and never in the words of the provider', async () => {
    await put('openai');
    await put('embeddings');
    const secret = 'words of the provider good-0000-1111';
    for (const [provider, status, body, problem] of [
      ['openai', 402, {}, 'quota_exceeded'],
      ['openai', 429, { error: { code: 'insufficient_quota', message: secret } }, 'quota_exceeded'],
      ['openai', 429, { error: { code: 'rate_limit_exceeded', message: secret } }, 'rate_limited'],
      ['openai', 401, { detail: { status: 'missing_permissions', message: secret } }, 'permission_missing'],
      ['openai', 401, { detail: { status: 'quota_exceeded', message: secret } }, 'quota_exceeded'],
      ['openai', 400, { error: { message: 'API key not valid.' } }, 'key_rejected'],
      ['openai', 403, { error: { message: secret } }, 'permission_missing'],
      ['openai', 404, { error: { message: secret } }, 'wrong_address'],
      ['openai', 301, {}, 'wrong_address'],
      ['openai', 200, { hello: 'world' }, 'wrong_address'],
      ['openai', 503, { error: { message: secret } }, 'provider_failed'],
      ['embeddings', 404, { error: { code: 'model_not_found', message: secret } }, 'model_missing'],
      ['embeddings', 404, {}, 'wrong_address'],
      ['embeddings', 200, { data: [] }, 'wrong_address'],
    ] as const) {
      double.answer = (_, response) => sendJson(response, status, body);
      const found = await verify(provider);
      assert.deepEqual([found.ok, found.problem], [false, problem], `${status} ${JSON.stringify(body)}`);
      assert.ok(!found.message.includes('words') && !found.message.includes('0000'), found.message);
    }
    double.answer = (_, response) => void response.end('<html>Welcome</html>');
    assert.equal((await verify('openai')).problem, 'wrong_address');
    double.answer = null;
  });

  it('names the models that the server does not list', async () => {
    await put('openai', { models: { a: 'llama3.2', b: 'qwen3', '*': 'gemma' } });
    const { problem, message } = await verify('openai');
    assert.equal(problem, 'model_missing');
    assert.match(message, /: qwen3, gemma\.$/);
    await put('openai', { models: { a: 'llama3.2' } });
    assert.equal((await verify('openai')).ok, true);
  });

  it('tells an address where nobody is from one that hangs up and one without a trusted certificate', async () => {
    const { port } = await httpsReceiver((_, response) => void response.end());
    double.answer = (_, response) => void response.destroy();
    for (const [baseUrl, problem] of [
      ['http://127.0.0.1:1024/v1', 'unreachable'],
      [double.baseUrl('openai'), 'unreachable'],
      [`https://127.0.0.1:${port}/v1`, 'tls_failed'],
    ]) {
      await put('openai', { baseUrl });
      const found = await verify('openai');
      assert.deepEqual([found.problem, found.statusCode], [problem, null], `${baseUrl} ${found.message}`);
    }
    double.answer = null;
  });

  it('does not connect to an address that is not allowed any more', async (context) => {
    await put('openai', { baseUrl: double.baseUrl('openai') });
    const { databaseUrl } = own;
    const strict = await startService(sqliteEngine(), { databaseUrl, allowedNetworks: [] });
    context.after(() => strict.close());
    const before = double.seen.length;
    const found = (await send(strict, 'POST', '/api/v1/providers/openai/verify', { key })).json;
    assert.equal(found.problem, 'address_not_allowed');
    assert.equal(double.seen.length, before);
  });

  it('says that nothing is configured', async () => {
    const { key: empty } = await own.newKey();
    const found = (await send(own, 'POST', '/api/v1/providers/deepgram/verify', { key: empty })).json;
    assert.deepEqual([found.ok, found.problem, found.source], [false, 'not_configured', 'none']);
    assert.equal(found.message, 'Deepgram is not configured: set a key, or the address of a server.');
  });
});
