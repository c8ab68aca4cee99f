import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seal, unseal } from '../../../src/changes/idempotency/seal.ts';
import { createIdempotencyStore } from '../../../src/changes/idempotency/store.ts';
import { createAgent, send, walk } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { testSealer } from '../../support/sealer.ts';
import { type Service, startService } from '../../support/service.ts';

const path = '/api/v1/agents';
const body = { name: 'once', voiceId: 'v' };

onEachEngine('idempotency', (engine) => {
  let service: Service;
  let other: Service;
  before(async () => {
    service = await startService(engine);
    other = await startService(engine, { databaseUrl: service.databaseUrl });
  });
  after(async () => {
    await other.close();
    await service.close();
  });

  const post = (target: Service, key: string, idempotencyKey: string, content: unknown = body, where = path) =>
    send(target, 'POST', where, { key, body: content, headers: { 'idempotency-key': idempotencyKey } });

  it('creates one agent from any number of concurrent requests on two instances', async () => {
    const { key } = await service.newKey();
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => post(index % 2 === 0 ? service : other, key, `round ${round}`)),
      );
      const made = answers.filter(({ status }) => status === 201);
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        assert.equal(answer.status, 409);
        assert.equal(answer.json.error.code, 'IDEMPOTENCY_IN_PROGRESS');
        assert.equal(answer.headers.get('retry-after'), '1');
      }
      assert.ok(made.length > 0);
      assert.equal(new Set(made.map(({ text }) => text)).size, 1);
      assert.equal(made.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    }
    assert.equal((await walk(service, key, { limit: '200' })).flat().length, 10);
  });

  it('responds with 409 while the first request is in progress', async () => {
    const { key } = await service.newKey();
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHolding: () => void = () => {};
    const holding = new Promise<void>((resolve) => {
      isHolding = resolve;
    });
    const claim = { scope: 'ws', key: 'slow', fingerprint: 'f', leaseUntil: Number.MAX_SAFE_INTEGER };
    const store = createIdempotencyStore(service.database, testSealer, Date.now);
    const first = store.exclusively(claim, async () => {
      isHolding();
      await held;
      return 'done';
    });
    await holding;
    await assert.rejects(
      store.exclusively(claim, async () => 'never'),
      { code: 'IDEMPOTENCY_IN_PROGRESS' },
    );
    assert.equal(await store.exclusively({ ...claim, scope: 'other' }, async () => 'free'), 'free');
    release();
    assert.equal(await first, 'done');
    assert.equal(await store.exclusively(claim, async () => 'again'), 'again');
    assert.equal((await post(service, key, 'slow')).status, 201);
  });

  it('rejects the key for a different request, and accepts the same request in another JSON notation', async () => {
    const { key } = await service.newKey();
    const first = await post(service, key, 'k');
    const different = await post(service, key, 'k', { ...body, name: 'other' });
    assert.equal(different.status, 422);
    assert.equal(different.json.error.code, 'IDEMPOTENCY_KEY_REUSED');
    const elsewhere = await post(service, key, 'k', {}, `${path}/${first.json.id}/publish`);
    assert.equal(elsewhere.status, 422);
    const spelled = await send(service, 'POST', path, {
      key,
      rawBody: '{ "voiceId": "v",\n "language": "ja", "name": "once" }',
      headers: { 'idempotency-key': 'k' },
    });
    assert.equal(spelled.text, first.text);
    assert.equal((await walk(service, key)).flat().length, 1);
  });

  it('is scoped to the workspace', async () => {
    const [one, two] = [await service.newKey(), await service.newKey()];
    const [first, second] = [await post(service, one.key, 'shared'), await post(service, two.key, 'shared')];
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.notEqual(first.json.id, second.json.id);
    assert.equal(second.headers.get('idempotent-replayed'), null);
  });

  it('does not save errors: a corrected request can use the same key', async () => {
    const { key } = await service.newKey();
    const { id } = await createAgent(service, key, { responseEngineType: 'custom_llm' });
    assert.equal((await post(service, key, 'p', {}, `${path}/${id}/publish`)).status, 422);
    await send(service, 'PATCH', `${path}/${id}`, {
      key,
      body: { responseEngine: { llmWebsocketUrl: 'wss://a.example' } },
    });
    const published = await post(service, key, 'p', {}, `${path}/${id}/publish`);
    assert.equal(published.status, 200);
    assert.equal(published.headers.get('idempotent-replayed'), null);
    assert.equal((await post(service, key, 'q', { name: '' })).status, 400);
    assert.equal((await post(service, key, 'q')).status, 201);
  });

  it('replays the original response even if the agent has changed, and with an If-Match that no longer matches', async () => {
    const { key } = await service.newKey();
    const { id } = await createAgent(service, key);
    const tag = (await send(service, 'GET', `${path}/${id}`, { key })).headers.get('etag') as string;
    const headers = { 'idempotency-key': 'publish', 'if-match': tag };
    const first = await send(service, 'POST', `${path}/${id}/publish`, { key, headers });
    await send(service, 'PATCH', `${path}/${id}`, { key, body: { name: 'later' } });
    const again = await send(service, 'POST', `${path}/${id}/publish`, { key, headers });
    assert.equal(again.status, 200);
    assert.equal(again.text, first.text);
    assert.equal((await send(service, 'GET', `${path}/${id}`, { key })).json.version, 2);
  });

  it('rejects invalid keys, and accepts 255 characters', async () => {
    const { key } = await service.newKey();
    for (const bad of ['', '""', 'x'.repeat(256), 'é', 'a\tb']) {
      const answer = await post(service, key, bad);
      assert.equal(answer.status, 400, bad);
      assert.deepEqual(Object.keys(answer.json.error.details.fieldErrors), ['Idempotency-Key']);
    }
    assert.equal((await post(service, key, 'x'.repeat(255))).status, 201);
    assert.equal(
      (await send(service, 'GET', path, { key, headers: { 'idempotency-key': '' } })).status,
      200,
      'of no matter to a GET',
    );
  });

  it('expires after 24 hours, and expired rows are removed in batches', async () => {
    const { key } = await service.newKey();
    const first = await post(service, key, 'old');
    const age = (ms: number) => service.database.run('UPDATE idempotency_keys SET expires_at = expires_at - $1', [ms]);
    await age(24 * 3_600_000 - 60_000);
    assert.equal((await post(service, key, 'old')).text, first.text);
    await age(60_001);
    const second = await post(service, key, 'old', { ...body, name: 'anew' });
    assert.equal(second.status, 201);
    assert.notEqual(second.json.id, first.json.id);

    await service.database.run('DELETE FROM idempotency_keys');
    await service.database.transaction(async (queries) => {
      for (let index = 0; index < 1100; index += 1) {
        await queries.run(
          "INSERT INTO idempotency_keys (workspace_id, key_hash, fingerprint, expires_at) VALUES ('w', $1, '', $2)",
          [`k${index}`, index < 1050 ? 1 : Number.MAX_SAFE_INTEGER],
        );
      }
    });
    const store = createIdempotencyStore(service.database, testSealer, Date.now);
    assert.deepEqual(
      [await store.removeExpired(), await store.removeExpired(), await store.removeExpired()],
      [true, true, false],
    );
    const left = await service.database.get<{ count: number }>('SELECT count(*) AS count FROM idempotency_keys');
    assert.equal(left?.count, 50);
  });

  it('replays a secret only to the key that created it, and does not store it in plain text', async () => {
    const workspace = 'sealed';
    const [one, two] = [await service.newKey({ workspace }), await service.newKey({ workspace })];
    const order = { scopes: ['agents:read'] };
    const first = await post(service, one.key, 'new key', order, '/api/v1/api-keys');
    assert.equal(first.status, 201);
    const again = await post(other, one.key, 'new key', order, '/api/v1/api-keys');
    assert.equal(again.text, first.text);
    assert.equal((await post(service, two.key, 'new key', order, '/api/v1/api-keys')).status, 422);
    const rows = await service.database.all('SELECT * FROM idempotency_keys');
    const keys = await service.database.all('SELECT * FROM api_keys');
    const audit = await service.database.all('SELECT * FROM audit_log');
    assert.ok(!JSON.stringify([rows, keys, audit]).includes(first.json.key.slice(10)));
  });
});

describe('encryption of saved responses', () => {
  it('decrypts only with the same secret', () => {
    const sealed = seal('予約 secret', 'vak_one');
    assert.equal(unseal(sealed, 'vak_one'), '予約 secret');
    assert.throws(() => unseal(sealed, 'vak_two'));
    assert.notEqual(seal('予約 secret', 'vak_one'), sealed);
    assert.ok(!Buffer.from(sealed, 'base64').toString().includes('secret'));
  });
});
