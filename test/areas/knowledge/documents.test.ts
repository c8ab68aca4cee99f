import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { knowledgeClient } from './client.ts';

const text = '# 返品\n\n30日以内に返品できます。\n\n# 配送\n\n2日で届きます。';
const sha256 = (content: string) => hash('sha256', content);

onEachEngine('documents', (engine) => {
  const service = useService(engine);
  const newClient = async () => knowledgeClient(service, (await service.newKey()).key);
  const withDocument = async (fields: object = {}) => {
    const client = await newClient();
    const base = await client.base();
    const made = await client.add(base.id, { name: '案内', text, ...fields });
    return { client, baseId: base.id, made, ready: await client.settled(base.id, made.id) };
  };

  it('of type text become searchable, with an event and the counts of the base in one commit', async () => {
    const { client, baseId, made, ready } = await withDocument({ metadata: { shop: 'ginza' } });
    assert.equal(made.status, 'queued');
    const { createdAt, updatedAt, readyAt, id, chunkCount, ...rest } = ready;
    assert.deepEqual(rest, {
      knowledgeBaseId: baseId,
      name: '案内',
      type: 'text',
      url: null,
      refreshEveryHours: null,
      lastFetchedAt: null,
      nextRefreshAt: null,
      staleSince: null,
      status: 'ready',
      error: null,
      revision: 1,
      warnings: [],
      mimeType: 'text/markdown',
      contentSha256: sha256(text),
      sizeBytes: Buffer.byteLength(text),
      characterCount: rest.characterCount,
      pageCount: null,
      metadata: { shop: 'ginza' },
      upload: null,
    });
    assert.ok((readyAt ?? '') >= createdAt && updatedAt === createdAt);
    const chunks = await client.chunks(baseId, id);
    assert.equal(chunks.length, chunkCount);
    assert.deepEqual(
      chunks.map((chunk: { index: number; headingPath: string[] }) => [chunk.index, chunk.headingPath]),
      [
        [0, ['返品']],
        [1, ['配送']],
      ],
    );
    assert.deepEqual((await client.expect(200, 'GET', `/${baseId}/chunks/${chunks[1].id}`)).json, chunks[1]);
    const base = await client.readBase(baseId);
    assert.deepEqual([base.status, base.revision, base.documentCount, base.chunkCount], ['ready', 1, 1, chunks.length]);
    assert.equal(base.sizeBytes > 0, true);
    const [event, ...others] = await client.events('document_ready');
    assert.deepEqual(others, []);
    assert.deepEqual(event.subject, { type: 'document', id });
    assert.deepEqual(event.body.data, { knowledgeBaseId: baseId, documentId: id, revision: 1, chunkCount });
  });

  it('are found by search, and no longer once they are deleted', async () => {
    const { client, baseId, made } = await withDocument();
    const search = async () => (await client.expect(200, 'POST', `/${baseId}/search`, { query: '返品' })).json;
    const found = await search();
    assert.equal(found.results[0].chunk.documentId, made.id);
    assert.equal(found.mode, 'lexical');
    await client.expect(200, 'DELETE', `/${baseId}/documents/${made.id}`);
    const gone = await search();
    assert.deepEqual([gone.results, gone.revision], [[], found.revision + 1]);
    await client.expect(404, 'GET', `/${baseId}/documents/${made.id}`);
    await client.expect(404, 'GET', `/${baseId}/chunks/${found.results[0].chunk.id}`);
    assert.equal((await client.readBase(baseId)).status, 'empty');
  });

  it('are not changed by the same content, and keep the ids of chunks that stay', async () => {
    const { client, baseId, made } = await withDocument();
    const path = `/${baseId}/documents/${made.id}`;
    const before = await client.chunks(baseId, made.id);
    await client.expect(200, 'PATCH', path, { text });
    assert.equal((await client.settled(baseId, made.id)).revision, 1);
    assert.equal((await client.readBase(baseId)).revision, 1);
    const inserted = text.replace('# 配送', '# 支払い\n\n現金のみです。\n\n# 配送');
    await client.expect(200, 'PATCH', path, { text: inserted });
    const replaced = await client.settled(baseId, made.id);
    assert.deepEqual([replaced.status, replaced.revision, replaced.contentSha256], ['ready', 2, sha256(inserted)]);
    const after = await client.chunks(baseId, made.id);
    assert.deepEqual([after[0].id, after[2].id], [before[0].id, before[1].id]);
    assert.ok(after.every(({ documentRevision }: { documentRevision: number }) => documentRevision === 2));
    assert.deepEqual(
      after.map(({ index }: { index: number }) => index),
      [0, 1, 2],
    );
    await client.expect(200, 'PATCH', path, { text: '# 配送\n\n2日で届きます。' });
    await client.settled(baseId, made.id);
    await client.expect(404, 'GET', `/${baseId}/chunks/${before[0].id}`);
    assert.equal((await client.chunks(baseId, made.id))[0].id, before[1].id);
    assert.equal((await client.events('document_ready')).length, 3);
  });

  it('keep what worked when new content fails, and report the failure once', async () => {
    const { client, baseId, made } = await withDocument();
    const path = `/${baseId}/documents/${made.id}`;
    await client.expect(200, 'PATCH', path, { text: '\u200b \u200b' });
    const failed = await client.settled(baseId, made.id);
    assert.deepEqual([failed.status, failed.error?.code, failed.revision], ['failed', 'no_text_found', 1]);
    assert.equal((await client.readBase(baseId)).status, 'degraded');
    assert.equal((await client.chunks(baseId, made.id)).length, 2);
    assert.equal((await client.expect(200, 'POST', `${path}/refresh`)).json.status, 'queued');
    const again = await client.settled(baseId, made.id);
    assert.deepEqual([again.status, again.error, again.revision], ['failed', failed.error, 1]);
    const events = await client.events('document_failed');
    assert.deepEqual(
      events.map(({ body }: { body: { data: object } }) => body.data),
      [{ knowledgeBaseId: baseId, documentId: made.id, error: failed.error }],
    );
    await client.expect(200, 'PATCH', path, { text });
    const back = await client.settled(baseId, made.id);
    assert.deepEqual([back.status, back.error, back.revision], ['ready', null, 1]);
    assert.equal((await client.readBase(baseId)).status, 'ready');
  });

  it('are split again with another chunk size, from the kept text', async () => {
    const long = `# 案内\n\n${Array.from({ length: 40 }, (_, n) => `これは${n}番目の少し長い文です。`).join('')}`;
    const { client, baseId, made, ready } = await withDocument({ text: long });
    const changed = await client.expect(200, 'PATCH', `/${baseId}`, { chunkSize: 200 });
    assert.deepEqual([changed.json.status, changed.json.chunkSize], ['updating', 200]);
    const again = await client.settled(baseId, made.id);
    assert.deepEqual([again.status, again.revision], ['ready', 2]);
    assert.ok((again.chunkCount ?? 0) > (ready.chunkCount ?? 0));
    const chunks = await client.chunks(baseId, made.id);
    assert.ok(chunks.every(({ text: part }: { text: string }) => part.length <= 200));
    assert.equal((await client.readBase(baseId)).chunkCount, chunks.length);
    // The same work again finds nothing to change.
    await client.expect(200, 'POST', `/${baseId}/documents/${made.id}/refresh`);
    assert.equal((await client.settled(baseId, made.id)).revision, 2);
  });

  it('have no error while new work on them is queued, whatever ended the one before', async () => {
    const client = await newClient();
    const { id } = await client.base();
    // They are split first, and keep others waiting.
    const long = 'A sentence of a long text. '.repeat(10_000);
    const first = await Promise.all([1, 2].map((n) => client.add(id, { name: `long ${n}`, text: `${n} ${long}` })));
    const made = await client.add(id, { name: 'short', text: 'It works.' });
    for (const document of [...first, made]) await client.settled(id, document.id);
    await client.expect(200, 'PATCH', `/${id}/documents/${made.id}`, { text: '...' });
    assert.equal((await client.settled(id, made.id)).error?.code, 'no_text_found');
    await client.expect(200, 'PATCH', `/${id}`, { chunkSize: 300 });
    const { status, error } = await client.get(id, made.id);
    assert.deepEqual([status, error], ['queued', null]);
    const settled = await client.settled(id, made.id);
    assert.deepEqual([settled.status, settled.error?.code], ['failed', 'no_text_found']);
  });

  it('can be renamed, which search sees: the base has a new revision, the document has not', async () => {
    const { client, baseId, made } = await withDocument();
    const path = `/${baseId}/documents/${made.id}`;
    const renamed = (await client.expect(200, 'PATCH', path, { name: '手引き', metadata: { a: 1 } })).json;
    assert.deepEqual(
      [renamed.name, renamed.revision, renamed.metadata, renamed.status],
      ['手引き', 1, { a: 1 }, 'ready'],
    );
    assert.equal((await client.readBase(baseId)).revision, 2);
    const found = await client.expect(200, 'POST', `/${baseId}/search`, { query: '手引き' });
    assert.equal(found.json.results[0].documentName, '手引き');
    const patched = (await client.expect(200, 'PATCH', path, { metadata: { a: null, b: 2 } })).json;
    assert.deepEqual(patched.metadata, { b: 2 });
    assert.equal((await client.readBase(baseId)).revision, 2);
  });

  it('refuse what does not fit: 400 for the request, 422 for the document, 409 while it is in work', async () => {
    const { client, baseId, made } = await withDocument();
    const path = `/${baseId}/documents`;
    for (const body of [
      { name: 'a' },
      { name: 'a', text: 'b', url: 'https://example.com/' },
      { text: 'b' },
      { name: 'a', text: '' },
      { name: 'a', text: 'x'.repeat(300_001) },
      { url: 'https://10.0.0.1/' },
      { url: 'ftp://example.com/' },
      { file: { name: 'a.pdf', sizeBytes: 25 * 1024 * 1024 + 1 } },
      { file: { name: 'a.pdf', sizeBytes: 1, sha256: 'x' } },
      { name: 'a', text: 'b', refreshEveryHours: 5 },
      { url: 'https://example.com/', refreshEveryHours: 721 },
      { name: 'a', text: 'b', metadata: { 'not a key': 1 } },
    ]) {
      await client.expect(400, 'POST', path, body);
    }
    for (const body of [
      { url: 'https://example.com/' },
      { file: { name: 'a', sizeBytes: 1 } },
      { refreshEveryHours: 2 },
    ]) {
      await client.expect(422, 'PATCH', `${path}/${made.id}`, body);
    }
    await client.expect(400, 'PATCH', `${path}/${made.id}`, { metadata: { 'not a key': 1 } });
    const waiting = await client.add(baseId, { file: { name: 'a.txt', sizeBytes: 3 } });
    const refused = await client.expect(409, 'POST', `${path}/${waiting.id}/refresh`);
    assert.deepEqual(refused.json.error.details.status, 'uploading');
  });

  it('are listed newest first, by status, type and name', async () => {
    const { client, baseId, made } = await withDocument();
    const waiting = await client.add(baseId, { file: { name: 'ＦＡＱ.pdf', sizeBytes: 3 } });
    const ids = async (query: string) =>
      (await client.expect(200, 'GET', `/${baseId}/documents${query}`)).json.items.map(({ id }: { id: string }) => id);
    assert.deepEqual(await ids(''), [waiting.id, made.id]);
    assert.deepEqual(await ids('?status=ready,failed'), [made.id]);
    assert.deepEqual(await ids('?type=file&type=url'), [waiting.id]);
    assert.deepEqual(await ids('?q=faq'), [waiting.id]);
    assert.deepEqual(await ids(`?q=${made.id}`), [made.id]);
    const first = (await client.expect(200, 'GET', `/${baseId}/documents?limit=1`)).json;
    const { nextCursor } = first.pagination;
    assert.deepEqual(await ids(`?limit=1&cursor=${nextCursor}`), [made.id]);
    const page = (await client.expect(200, 'GET', `/${baseId}/documents/${made.id}/chunks?limit=1`)).json;
    const rest = await client.expect(
      200,
      'GET',
      `/${baseId}/documents/${made.id}/chunks?cursor=${page.pagination.nextCursor}`,
    );
    assert.deepEqual([page.items[0].index, rest.json.items[0].index], [0, 1]);
    assert.equal(rest.json.pagination.nextCursor, null);
  });

  it('are limited to 1,000 in a base, also for requests at the same time', async () => {
    const { client, baseId, made } = await withDocument();
    const copy = `INSERT INTO documents (workspace_id, id, base_id, type, status, name, folded_name, has_name, doc, doc_version,
        revision, base_revision, chunk_count, text_bytes, characters, work, failures)
      SELECT workspace_id, $2, base_id, type, 'ready', name, folded_name, has_name, doc, doc_version,
        0, 0, 0, 0, 0, 1, 0 FROM documents WHERE id = $1`;
    await service.database.transaction(async (queries) => {
      for (let n = 0; n < 998; n += 1) await queries.run(copy, [made.id, `doc_${String(n).padStart(30, '0')}`]);
    });
    const add = () => client.ask('POST', `/${baseId}/documents`, { body: { name: 'a', text: 'b' } });
    const answers = await Promise.all([add(), add(), add()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422]);
    const refused = answers.find(({ status }) => status === 422);
    assert.deepEqual([refused?.json.error.code, refused?.json.error.details.limit], ['LIMIT_REACHED', 1000]);
  });

  it('that do not fit into the 20,000 chunks of the base have failed', async () => {
    const { client, baseId } = await withDocument();
    const fill = (chunkCount: number) =>
      service.database.run('UPDATE knowledge_bases SET doc = replace(doc, $2, $3) WHERE id = $1', [
        baseId,
        '"chunkCount":2',
        `"chunkCount":${chunkCount}`,
      ]);
    await service.database.run('UPDATE documents SET chunk_count = 19998 WHERE base_id = $1', [baseId]);
    await fill(19_998);
    const fits = await client.add(baseId, { name: 'b', text });
    assert.equal((await client.settled(baseId, fits.id)).status, 'ready');
    const over = await client.add(baseId, { name: 'c', text });
    const failed = await client.settled(baseId, over.id);
    assert.deepEqual([failed.error?.code, failed.error?.retryable], ['limit_reached', false]);
  });

  it('that could not be split again are ready once they can be, with the chunks that they had', async () => {
    const client = await newClient();
    const { id } = await client.base({ chunkSize: 2000 });
    const long = 'これは少し長い文章です。'.repeat(400);
    const made = await client.add(id, { name: 'a', text: long });
    const ready = await client.settled(id, made.id);
    const other = await client.add(id, { name: 'b', text });
    await client.settled(id, other.id);
    // Without a revision, it is not split again itself.
    const count = (chunks: number) =>
      service.database.run(
        `UPDATE documents SET chunk_count = $2, doc = replace(doc, '"revision":1', '"revision":0') WHERE id = $1`,
        [other.id, chunks],
      );
    const withChunkSize = async (chunkSize: number) => {
      await client.expect(200, 'PATCH', `/${id}`, { chunkSize });
      return client.settled(id, made.id);
    };
    // The other one is made to leave room for the chunks of before, and not for smaller ones.
    await count(20_000 - (ready.chunkCount ?? 0));
    const failed = await withChunkSize(200);
    assert.deepEqual([failed.status, failed.error?.code, failed.revision], ['failed', 'limit_reached', 1]);
    assert.equal((await client.chunks(id, made.id)).length, ready.chunkCount);
    for (const repeat of [
      () => withChunkSize(2000),
      async () => {
        await withChunkSize(200);
        await count(0);
        await client.expect(200, 'POST', `/${id}/documents/${made.id}/refresh`);
        return client.settled(id, made.id);
      },
    ]) {
      const settled = await repeat();
      assert.deepEqual([settled.status, settled.error], ['ready', null]);
    }
    assert.ok((await client.chunks(id, made.id)).length > (ready.chunkCount ?? 0));
  });
});
