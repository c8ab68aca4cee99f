import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createBaseStore } from '../../../src/areas/knowledge/bases/store.ts';
import { createDocumentStore } from '../../../src/areas/knowledge/documents/store.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { startService, useService } from '../../support/service.ts';
import { knowledgeClient } from './client.ts';

const text = '# One\n\nThe first text.\n\n# Two\n\nThe second text.';
const minuteMs = 60_000;

onEachEngine('work on documents whose process is lost', (engine) => {
  const service = useService(engine);

  /** A document as a process leaves it that is lost while it works on it, for the given time. */
  const lostDocument = async (attempt: number) => {
    const url = await engine.newServiceUrl();
    const first = await startService(engine, { databaseUrl: url });
    const workspace = 'lost';
    const client = knowledgeClient(first, (await first.newKey({ workspace })).key);
    const base = await client.base();
    const made = await client.add(base.id, { name: 'a', text });
    await client.settled(base.id, made.id);
    await first.database.transaction(async (queries) => {
      const documents = createDocumentStore(first.database);
      const row = await documents.lock(queries, base.workspaceId, made.id);
      assert.ok(row);
      const document = { ...row.document, status: 'extracting' as const };
      await documents.replace(queries, { ...row, document, dueAt: Date.now() + 5 * minuteMs });
      await queries.run(
        `UPDATE jobs SET state = 'running', finished_at = NULL, lease_owner = 'lost', lease_until = 1, attempt = $2
          WHERE kind = 'knowledge_index' AND dedupe_key = $1`,
        [made.id, attempt],
      );
    });
    await first.close();
    const second = await startService(engine, { databaseUrl: url });
    const key = (await second.newKey({ workspace })).key;
    return { second, client: knowledgeClient(second, key), baseId: base.id, id: made.id };
  };

  it('is taken over by another process, and nothing is there twice', async () => {
    const { second, client, baseId, id } = await lostDocument(1);
    const settled = await client.settled(baseId, id);
    assert.deepEqual([settled.status, settled.revision], ['ready', 1]);
    assert.equal((await client.chunks(baseId, id)).length, 2);
    await second.close();
  });

  it('has failed after the third lost process', async () => {
    const { second, client, baseId, id } = await lostDocument(3);
    const settled = await client.settled(baseId, id);
    assert.deepEqual([settled.status, settled.error?.code, settled.error?.retryable], ['failed', 'internal', true]);
    assert.equal((await client.chunks(baseId, id)).length, 2, 'what worked is still there');
    await second.close();
  });

  it('has failed if nothing settles it within 5 minutes', async () => {
    let aheadMs = 0;
    const url = await engine.newServiceUrl();
    const own = await startService(engine, { databaseUrl: url, now: () => Date.now() + aheadMs });
    const client = knowledgeClient(own, (await own.newKey()).key);
    const base = await client.base();
    const made = await client.add(base.id, { name: 'a', text });
    await client.settled(base.id, made.id);
    const documents = createDocumentStore(own.database);
    await own.database.transaction(async (queries) => {
      const row = await documents.lock(queries, base.workspaceId, made.id);
      assert.ok(row);
      const document = { ...row.document, status: 'indexing' as const };
      await documents.replace(queries, { ...row, document, dueAt: Date.now() + 5 * minuteMs });
    });
    aheadMs = 5 * minuteMs + 2000;
    const failed = await client.settled(base.id, made.id);
    assert.deepEqual([failed.status, failed.error?.code], ['failed', 'timeout']);
    assert.equal((await client.readBase(base.id)).status, 'degraded');
    await own.close();
  });

  it('is dropped for a document that was deleted or replaced meanwhile', async () => {
    const client = knowledgeClient(service, (await service.newKey()).key);
    const base = await client.base();
    const long = `${text}\n\n${'Some more words in a long text. '.repeat(5000)}`;
    const made = await client.add(base.id, { name: 'a', text: long });
    await eventually(async () => (await client.get(base.id, made.id)).status !== 'queued');
    await client.expect(200, 'PATCH', `/${base.id}/documents/${made.id}`, { text });
    const settled = await client.settled(base.id, made.id);
    assert.equal(settled.status, 'ready');
    assert.equal((await client.chunks(base.id, made.id)).length, 2);
    const deleted = await client.add(base.id, { name: 'b', text: long });
    await eventually(async () => (await client.get(base.id, deleted.id)).status !== 'queued');
    await client.expect(200, 'DELETE', `/${base.id}/documents/${deleted.id}`);
    const jobs = () =>
      service.database.all("SELECT id FROM jobs WHERE kind = 'knowledge_index' AND finished_at IS NULL");
    await eventually(async () => (await jobs()).length === 0);
    const counts = await createBaseStore(service.database).counts(service.database, base.id);
    assert.deepEqual([counts.documents, counts.chunks], [1, 2]);
  });

  it('of two changes at once ends with one revision after the other', async () => {
    const client = knowledgeClient(service, (await service.newKey()).key);
    const base = await client.base();
    const made = await client.add(base.id, { name: 'a', text });
    const texts = Array.from({ length: 6 }, (_, n) => `# Text ${n}\n\nContent ${n}.`);
    const path = `/${base.id}/documents/${made.id}`;
    const answers = await Promise.all([
      ...texts.map((one) => client.ask('PATCH', path, { body: { text: one } })),
      client.ask('PATCH', `/${base.id}`, { body: { chunkSize: 300 } }),
      client.ask('PATCH', path, { body: { name: 'b' } }),
    ]);
    assert.ok(answers.every(({ status }) => status === 200));
    const settled = await client.settled(base.id, made.id);
    assert.deepEqual([settled.status, settled.name], ['ready', 'b']);
    const chunks = await client.chunks(base.id, made.id);
    assert.equal(chunks.length, settled.chunkCount);
    const read = await client.readBase(base.id);
    assert.deepEqual([read.chunkCount, read.documentCount, read.status], [chunks.length, 1, 'ready']);
  });
});
