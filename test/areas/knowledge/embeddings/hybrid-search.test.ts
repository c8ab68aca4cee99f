import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../../support/engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { startService } from '../../../support/service.ts';
import { knowledgeClient } from '../client.ts';
import { sendVectors, startProvider } from './support.ts';

onEachEngine('a service with a provider of embeddings', (engine) => {
  /** A service with one document, and its provider. */
  const start = async (provider: Awaited<ReturnType<typeof startProvider>>, dimensions: number | null = null) => {
    const config = { model: 'test-model', dimensions, apiKey: null, baseUrl: provider.baseUrl };
    const service = await startService(engine, { embeddings: config });
    const client = knowledgeClient(service, (await service.newKey()).key);
    const { id } = await client.base();
    const document = await client.add(id, {
      name: '案内',
      text: '# 返品\n\n30日以内に返品できます。\n\n# 配送\n\n2日で届きます。',
    });
    const ready = await client.settled(id, document.id);
    assert.equal(ready.status, 'ready');
    const hasStatus = (status: string) =>
      eventually(async () => (await client.readBase(id)).semantic.status === status, status);
    const search = (body: object) => client.ask('POST', `/${id}/search`, { body: { query: '返品したい', ...body } });
    return { service, client, id, hasStatus, search };
  };

  it('finds chunks by meaning, too, as soon as they have vectors', async () => {
    const provider = await startProvider();
    const { service, client, id, hasStatus, search } = await start(provider);
    await hasStatus('ready');
    const semantic = { status: 'ready', model: 'test-model', dimensions: 8, coverage: 1 };
    assert.deepEqual((await client.readBase(id)).semantic, semantic);
    const { json } = await search({ mode: 'hybrid' });
    assert.equal(json.mode, 'hybrid');
    assert.ok(json.results.every(({ semanticScore }: { semanticScore: unknown }) => typeof semanticScore === 'number'));
    assert.equal((await search({ mode: 'lexical' })).json.mode, 'lexical');
    await service.close();
  });

  it('serves documents by their words while the provider is down, and says so', async () => {
    const provider = await startProvider();
    provider.answer = (_, response) => void response.writeHead(503).end();
    const { service, client, id, hasStatus, search } = await start(provider);
    await hasStatus('failed');
    assert.equal((await client.readBase(id)).semantic.coverage, 0);
    const { status, json } = await search({});
    assert.deepEqual([status, json.mode, json.results.length > 0], [200, 'lexical', true]);
    const failed = await search({ mode: 'hybrid' });
    assert.equal(failed.status, 502);
    assert.deepEqual(failed.json.error.details, {
      provider: 'embeddings',
      providerCode: 'http_503',
      retryable: true,
    });
    await service.close();
  });

  it('does the same if the vectors have other dimensions than configured', async () => {
    const provider = await startProvider(16);
    const { service, hasStatus, search } = await start(provider, 8);
    await hasStatus('failed');
    assert.equal((await search({})).json.mode, 'lexical');
    assert.equal((await search({ mode: 'hybrid' })).status, 502);
    await service.close();
  });

  it('embeds the questions of an evaluation together', async () => {
    const provider = await startProvider();
    const { service, client, id, hasStatus } = await start(provider);
    await hasStatus('ready');
    provider.requests.length = 0;
    provider.answer = (request, response) => sendVectors(request, response, 8);
    const questions = Array.from({ length: 40 }, (_, index) => ({ query: `返品 ${index}`, expected: ['案内'] }));
    const { json } = await client.expect(200, 'POST', `/${id}/evaluate`, { questions });
    assert.deepEqual(
      json.modes.map(({ mode, hitRate }: { mode: string; hitRate: number }) => [mode, hitRate]),
      [
        ['lexical', 1],
        ['hybrid', 1],
      ],
    );
    assert.equal(provider.requests.length, 3);
    await service.close();
  });
});
