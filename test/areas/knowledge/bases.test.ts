import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { knowledgeClient } from './client.ts';

onEachEngine('knowledge bases', (engine) => {
  const service = useService(engine);
  const newClient = async () => knowledgeClient(service, (await service.newKey()).key);

  it('are created empty, with their defaults', async () => {
    const client = await newClient();
    const { id, workspaceId, createdAt, updatedAt, ...rest } = await client.base({ name: '店舗FAQ' });
    assert.match(id, /^kb_/);
    assert.deepEqual(rest, {
      name: '店舗FAQ',
      description: null,
      language: 'ja',
      status: 'empty',
      revision: 0,
      chunkSize: 600,
      synonyms: [],
      useEmbeddings: true,
      semantic: { status: 'off', model: null, dimensions: null, coverage: 0 },
      documentCount: 0,
      chunkCount: 0,
      sizeBytes: 0,
    });
    assert.equal(updatedAt, createdAt);
    for (const fields of [
      { name: '' },
      { chunkSize: 199 },
      { chunkSize: 2001 },
      { synonyms: [['one']] },
      { synonyms: Array.from({ length: 501 }, () => ['a', 'b']) },
      { synonyms: [['a', 'x'.repeat(51)]] },
      { language: 'ja_JP' },
      { language: '日本語' },
    ]) {
      await client.expect(400, 'POST', '', { name: 'FAQ', ...fields });
    }
  });

  it('have a tag that requests change, and ingestion does not', async () => {
    const client = await newClient();
    const { id } = await client.base();
    const tag = async () => (await client.expect(200, 'GET', `/${id}`)).headers.get('etag') as string;
    const first = await tag();
    const made = await client.add(id, { name: 'a', text: 'A text.' });
    await client.settled(id, made.id);
    assert.equal(await tag(), first);
    const change = (body: object, ifMatch: string) =>
      client.ask('PATCH', `/${id}`, { body, headers: { 'if-match': ifMatch } });
    const changed = await change({ description: 'new' }, first);
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.get('etag'), first);
    assert.equal(changed.json.revision, 1, 'search cannot see it');
    const refused = await change({ description: 'newer' }, first);
    assert.deepEqual([refused.status, refused.json.error.code], [409, 'VERSION_CONFLICT']);
    const same = await client.ask('PATCH', `/${id}`, { body: { description: 'new' } });
    assert.equal(same.headers.get('etag'), changed.headers.get('etag'));
    assert.equal(same.json.updatedAt, changed.json.updatedAt);
    const stale = await client.ask('DELETE', `/${id}`, { headers: { 'if-match': first } });
    assert.equal(stale.status, 409);
  });

  it('apply synonyms to the next query, without a new index', async () => {
    const client = await newClient();
    const { id } = await client.base();
    const made = await client.add(id, { name: '利用規約', text: 'ゾルバは同伴できません。' });
    await client.settled(id, made.id);
    const hits = async () =>
      (await client.expect(200, 'POST', `/${id}/search`, { query: 'ミルカ' })).json.results.length;
    assert.equal(await hits(), 0);
    const changed = await client.expect(200, 'PATCH', `/${id}`, { synonyms: [['ミルカ', 'ゾルバ']] });
    assert.deepEqual([changed.json.revision, changed.json.status], [2, 'ready']);
    assert.equal(await hits(), 1);
    assert.equal((await client.get(id, made.id)).revision, 1);
  });

  it('report the first status that applies', async () => {
    const client = await newClient();
    const { id } = await client.base();
    const status = async () => (await client.readBase(id)).status;
    const bad = await client.add(id, { name: 'bad', text: '\u200b' });
    await client.settled(id, bad.id);
    assert.equal(await status(), 'degraded', 'before empty');
    const good = await client.add(id, { name: 'good', text: 'A text.' });
    await client.settled(id, good.id);
    assert.equal(await status(), 'degraded', 'before ready');
    await service.database.run("UPDATE documents SET status = 'queued' WHERE id = $1", [good.id]);
    await client.add(id, { file: { name: 'a.txt', sizeBytes: 3 } });
    assert.equal(await status(), 'updating', 'before degraded');
    await service.database.run("UPDATE documents SET status = 'ready' WHERE id = $1", [good.id]);
    await client.expect(200, 'DELETE', `/${id}/documents/${bad.id}`);
    assert.equal(await status(), 'ready', 'although an upload is expected');
  });

  it('are listed newest first, and found by name', async () => {
    const client = await newClient();
    const one = await client.base({ name: 'ＦＡＱ of the shop' });
    const two = await client.base({
      name: 'Manual',
      synonyms: Array.from({ length: 400 }, (_, n) => [`a${n}`, 'x'.repeat(50)]),
    });
    const ids = async (query: string) =>
      (await client.expect(200, 'GET', query)).json.items.map(({ id }: { id: string }) => id);
    assert.deepEqual(await ids(''), [two.id, one.id]);
    assert.deepEqual(await ids('?q=faq'), [one.id]);
    assert.deepEqual(await ids(`?q=${two.id}`), [two.id]);
    assert.equal((await client.expect(200, 'GET', '?limit=1')).json.items[0].id, two.id);
  });

  it('are limited to 100 in a workspace', async () => {
    const client = await newClient();
    const first = await client.base();
    const copy = `INSERT INTO knowledge_bases (workspace_id, id, folded_name, etag, doc, doc_version, revision)
      SELECT workspace_id, $2, folded_name, etag, doc, doc_version, revision FROM knowledge_bases WHERE id = $1`;
    const prefix = first.id.slice(0, -3);
    for (let n = 100; n < 198; n += 1) await service.database.run(copy, [first.id, `${prefix}${n}`]);
    const answers = await Promise.all([1, 2].map(() => client.ask('POST', '', { body: { name: 'one more' } })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422]);
  });

  it('cannot be deleted while the newest published version of an agent names them', async () => {
    const client = await newClient();
    const { key } = client;
    const { id } = await client.base();
    const fields = { prompt: 'You help.', agentSettings: { knowledge: { bases: [{ id }] } } };
    const agent = await createAgent(service, key, fields);
    const published = await send(service, 'POST', `/api/v1/agents/${agent.id}/publish`, { key });
    assert.equal(published.status, 200, published.text);
    const refused = await client.expect(409, 'DELETE', `/${id}`);
    assert.deepEqual(refused.json.error.details, { usedBy: [agent.id] });
    await send(service, 'PATCH', `/api/v1/agents/${agent.id}`, { key, body: { agentSettings: { knowledge: null } } });
    await client.expect(409, 'DELETE', `/${id}`);
    await send(service, 'POST', `/api/v1/agents/${agent.id}/publish`, { key });
    assert.deepEqual((await client.expect(200, 'DELETE', `/${id}`)).json, { id, deleted: true });
    await client.expect(404, 'GET', `/${id}`);
  });
});
