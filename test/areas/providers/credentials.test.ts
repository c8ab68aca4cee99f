import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createOpenAiLlm } from '../../../src/voice/providers/openai/llm.ts';
import { type KeyLogDouble, startKeyLogDouble } from '../../providers/key-log-double.ts';
import { send } from '../../support/client.ts';
import { type Engine, onEachEngine, onPostgres, postgresEngine, sqliteEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { type Service, startService, testSpeech } from '../../support/service.ts';

const operatorKey = 'good-operator-0000';

/** A service whose operator has a language model on the double. */
async function serviceWithOperator(
  engine: Engine,
  double: KeyLogDouble,
  more: Parameters<typeof startService>[1] = {},
) {
  const account = { apiKey: operatorKey, baseUrl: double.baseUrl('openai'), modelMap: new Map() };
  const speech = { apiKey: operatorKey, baseUrl: double.baseUrl('deepgram') };
  return startService(engine, {
    operatorAccounts: { openai: account, deepgram: speech, elevenlabs: null, cartesia: null, embeddings: null },
    ...more,
    calls: { llm: createOpenAiLlm(account), ...more.calls },
  });
}

/** A workspace, and what is asked of it. */
async function newTenant(service: Service, workspace?: string) {
  const { key } = await service.newKey(workspace === undefined ? {} : { workspace });
  const call = (method: string, path: string, body?: unknown) =>
    send(service, method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
  const put = (provider: string, body: object) => call('PUT', `/providers/${provider}/credentials`, body);
  const providerOf = async (name: string) =>
    (await call('GET', '/providers')).json.items.find((item: { name: string }) => item.name === name);
  const agent = await call('POST', '/agents', { name: 'A', voiceId: 'v', llmModel: 'gpt-5.4-mini', prompt: 'Help.' });
  assert.equal(agent.status, 201, agent.text);
  const chat = async (): Promise<string> => {
    const made = await call('POST', '/calls', { type: 'chat', agentId: agent.json.id, agentVersion: 'latest' });
    assert.equal(made.status, 201, made.text);
    const reply = await call('POST', `/calls/${made.json.id}/messages`, { text: 'Hello' });
    return reply.status === 200 || reply.status === 201 ? reply.json.turns.at(-1).text : reply.json.error.code;
  };
  return { key, call, put, providerOf, chat };
}

onEachEngine('credentials of providers', (engine) => {
  let double: KeyLogDouble;
  let service: Service;
  before(async () => {
    double = await startKeyLogDouble();
    service = await serviceWithOperator(engine, double);
  });
  after(async () => {
    await service.close();
    await double.close();
  });

  it('are used from the next call on, in place of those of the operator, until they are deleted', async () => {
    const tenant = await newTenant(service);
    const baseUrl = double.baseUrl('openai');
    assert.equal(await tenant.chat(), `I was asked with ${operatorKey}.`);
    const put = await tenant.put('openai', { apiKey: 'good-own-1111-abcd', baseUrl, models: { '*': 'llama3.2' } });
    assert.equal(put.status, 200, put.text);
    await eventually(async () => (await tenant.chat()) === 'I was asked with good-own-1111-abcd.');
    await tenant.put('openai', { apiKey: 'good-own-2222-efgh', baseUrl });
    await eventually(async () => (await tenant.chat()) === 'I was asked with good-own-2222-efgh.');
    assert.equal((await tenant.call('DELETE', '/providers/openai/credentials')).status, 200);
    await eventually(async () => (await tenant.chat()) === `I was asked with ${operatorKey}.`);
    assert.equal((await tenant.call('DELETE', '/providers/openai/credentials')).status, 404);
  });

  it('are read as whether there is a key, its end and its time, and nothing else anywhere', async () => {
    const tenant = await newTenant(service);
    const apiKey = 'good-hidden-value-wxyz';
    const { json } = await tenant.put('openai', {
      apiKey,
      baseUrl: `${double.baseUrl('openai')}/`,
      models: { a: 'b' },
    });
    assert.deepEqual(json, {
      provider: 'openai',
      apiKey: { set: true, last4: 'wxyz', updatedAt: json.updatedAt },
      baseUrl: double.baseUrl('openai'),
      models: { a: 'b' },
      model: null,
      createdAt: json.createdAt,
      updatedAt: json.updatedAt,
    });
    const listed = await tenant.providerOf('openai');
    assert.deepEqual(
      [listed.source, listed.configured, listed.usedFor, listed.credentials],
      ['workspace', true, ['llm'], json],
    );
    await eventually(async () => (await tenant.chat()).includes(apiKey));
    const verified = await tenant.call('POST', '/providers/openai/verify');
    assert.ok(!verified.text.includes(apiKey));
    const trail = await tenant.call('GET', '/audit-log');
    const entries = trail.json.items.filter(({ resourceId }: { resourceId: string }) => resourceId === 'openai');
    assert.deepEqual(
      entries.map(({ routeId }: { routeId: string }) => routeId),
      ['providers.verify', 'providers.credentials.put'],
    );
    const rows = await service.database.all('SELECT * FROM provider_credentials');
    for (const text of [trail.text, JSON.stringify(service.log), JSON.stringify(rows)]) {
      assert.ok(!text.includes('hidden-value'));
    }
    const short = await tenant.put('cartesia', { apiKey: 'short' });
    assert.deepEqual([short.json.apiKey.set, short.json.apiKey.last4], [true, null]);
  });

  it('keep the key if none is sent, for the same host only', async () => {
    const tenant = await newTenant(service);
    const baseUrl = double.baseUrl('openai');
    await tenant.put('openai', { apiKey: 'good-kept-0000-1234', baseUrl });
    const kept = await tenant.put('openai', { baseUrl: `${baseUrl}/other`, models: { a: 'b' } });
    assert.deepEqual([kept.status, kept.json.apiKey.last4, kept.json.models], [200, '1234', { a: 'b' }]);
    for (const other of ['http://127.0.0.1:1024/v1', 'https://models.example.com/v1', null]) {
      const refused = await tenant.put('openai', { baseUrl: other });
      assert.equal(refused.status, 422);
      assert.match(refused.json.error.details.fieldErrors.apiKey[0], /must be given again/);
    }
    const without = await tenant.put('openai', { apiKey: null, baseUrl: 'http://127.0.0.1:1024/v1' });
    assert.deepEqual([without.status, without.json.apiKey], [200, { set: false, last4: null, updatedAt: null }]);
  });

  it('are refused if they cannot work, with what is wrong', async () => {
    const tenant = await newTenant(service);
    for (const [provider, body, status, field] of [
      ['openai', {}, 422, 'apiKey'],
      ['openai', { apiKey: null }, 422, 'apiKey'],
      ['openai', { apiKey: '' }, 400, 'apiKey'],
      ['openai', { apiKey: 'two words' }, 400, 'apiKey'],
      ['openai', { apiKey: '鍵' }, 400, 'apiKey'],
      ['openai', { apiKey: 'k', baseUrl: 'ftp://a.example' }, 400, 'baseUrl'],
      ['openai', { apiKey: 'k', baseUrl: 'http://10.0.0.1/v1' }, 400, 'baseUrl'],
      ['openai', { apiKey: 'k', baseUrl: 'https://169.254.169.254/v1' }, 400, 'baseUrl'],
      ['openai', { apiKey: 'k', baseUrl: 'https://user:pw@a.example/v1' }, 400, 'baseUrl'],
      ['openai', { apiKey: 'k', baseUrl: 'https://a.example/v1?x=1' }, 400, 'baseUrl'],
      ['openai', { apiKey: 'k', models: { a: 'two words' } }, 400, 'models'],
      [
        'openai',
        { apiKey: 'k', models: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, 'm'])) },
        400,
        'models',
      ],
      ['openai', { apiKey: 'k', model: 'm' }, 422, 'model'],
      ['deepgram', { apiKey: 'k', models: { a: 'b' } }, 422, 'models'],
      ['embeddings', { apiKey: 'k' }, 422, 'model'],
    ] as const) {
      const refused = await tenant.put(provider, body);
      assert.equal(refused.status, status, JSON.stringify(body));
      const fields = Object.keys(refused.json.error.details.fieldErrors);
      assert.ok(
        fields.some((name) => name.startsWith(field)),
        `${fields} of ${JSON.stringify(body)}`,
      );
    }
    assert.equal((await tenant.put('embedded', { apiKey: 'k' })).status, 404);
    assert.equal((await tenant.call('POST', '/providers/nobody/verify')).status, 404);
    const { items } = (await tenant.call('GET', '/providers')).json;
    assert.ok(items.every(({ credentials }: { credentials: unknown }) => credentials === null));
  });

  it('are sealed again by a new data key, and restored with a start', async (context) => {
    const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const before = await serviceWithOperator(engine, double, { dataKeys: [first] });
    const workspace = 'resealed';
    const tenant = await newTenant(before, workspace);
    await tenant.put('openai', { apiKey: 'good-resealed-5678', baseUrl: double.baseUrl('openai') });
    await before.close();
    const { databaseUrl } = before;
    await (await serviceWithOperator(engine, double, { databaseUrl, dataKeys: [second, first] })).close();
    const restarted = await serviceWithOperator(engine, double, { databaseUrl, dataKeys: [second] });
    context.after(() => restarted.close());
    const again = await newTenant(restarted, workspace);
    assert.equal(await again.chat(), 'I was asked with good-resealed-5678.', 'without waiting');
  });

  it('of embeddings make the vectors of the workspace, and others when they change', async () => {
    const tenant = await newTenant(service);
    const base = (await tenant.call('POST', '/knowledge-bases', { name: 'FAQ' })).json;
    const document = await tenant.call('POST', `/knowledge-bases/${base.id}/documents`, {
      name: 'A',
      text: 'Returns.',
    });
    assert.equal(document.status, 201, document.text);
    const semantic = async () => (await tenant.call('GET', `/knowledge-bases/${base.id}`)).json.semantic;
    const search = (mode: string) =>
      tenant.call('POST', `/knowledge-bases/${base.id}/search`, { query: 'money back', mode });
    assert.equal((await semantic()).status, 'off');
    assert.equal((await search('hybrid')).status, 503);
    const baseUrl = double.baseUrl('embeddings');
    for (const [apiKey, model] of [
      ['good-embed-0000', 'small'],
      ['good-embed-1111', 'large'],
    ] as const) {
      assert.equal((await tenant.put('embeddings', { apiKey, baseUrl, model })).status, 200);
      await eventually(async () => {
        const { status, model: used, coverage } = await semantic();
        return status === 'ready' && used === model && coverage === 1;
      });
      await eventually(async () => (await search('hybrid')).json.mode === 'hybrid');
    }
    const keys = new Set(double.seen.filter(({ provider }) => provider === 'embeddings').map(({ key }) => key));
    assert.deepEqual([...keys], ['good-embed-0000', 'good-embed-1111']);
    await tenant.call('DELETE', '/providers/embeddings/credentials');
    await eventually(async () => (await semantic()).status === 'off');
  });
});

/** By how much a timer and a query can be late when all processors have other work. */
const busyMs = 5000;

describe('credentials of providers with two instances', onPostgres, () => {
  it('are used by the other instance within a second of the response', async (context) => {
    const double = await startKeyLogDouble();
    const engine = postgresEngine();
    const one = await serviceWithOperator(engine, double);
    const other = await serviceWithOperator(engine, double, { databaseUrl: one.databaseUrl });
    context.after(async () => {
      await Promise.all([one.close(), other.close()]);
      await double.close();
    });
    const workspace = 'of both';
    const here = await newTenant(one, workspace);
    const there = await newTenant(other, workspace);
    const baseUrl = double.baseUrl('openai');
    for (const apiKey of ['good-first-0000', 'good-second-1111', null]) {
      const changed =
        apiKey === null
          ? await here.call('DELETE', '/providers/openai/credentials')
          : await here.put('openai', { apiKey, baseUrl });
      assert.equal(changed.status, 200);
      const isUsed = async ({ chat }: typeof here) => (await chat()) === `I was asked with ${apiKey ?? operatorKey}.`;
      const start = performance.now();
      // When the last call began that used what was there before.
      let staleMs = 0;
      await eventually(async () => {
        const beganMs = performance.now() - start;
        if (await isUsed(there)) return true;
        staleMs = beganMs;
        return false;
      });
      // It looks twice a second; a busy machine is given some more.
      assert.ok(staleMs < 1000 + busyMs, `${staleMs} ms`);
      await eventually(() => isUsed(here));
    }
  });
});

describe('without shared providers', () => {
  it('a workspace has nothing of the operator, and everything of its own', async (context) => {
    const double = await startKeyLogDouble();
    const service = await serviceWithOperator(sqliteEngine(), double, { sharesProviders: false, speech: testSpeech() });
    context.after(async () => {
      await service.close();
      await double.close();
    });
    const tenant = await newTenant(service);
    const { source, configured } = await tenant.providerOf('openai');
    assert.deepEqual([source, configured], ['none', false]);
    assert.equal((await tenant.call('POST', '/providers/openai/verify')).json.problem, 'not_configured');
    await tenant.chat();
    assert.deepEqual(double.seen, []);
    await tenant.put('openai', { apiKey: 'good-own-0000', baseUrl: double.baseUrl('openai') });
    await eventually(async () => (await tenant.chat()) === 'I was asked with good-own-0000.');
    assert.deepEqual((await tenant.providerOf('openai')).source, 'workspace');
    assert.equal((await tenant.providerOf('deepgram')).configured, false);
  });
});
