import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { useService } from '../../support/service.ts';
import { fileOf, knowledgeClient, put } from './client.ts';

const hourMs = 3_600_000;
const content = '# Returns\n\nReturns are possible within 30 days.';

onEachEngine('uploads of documents', (engine) => {
  const mediaFolder = mkdtempSync(join(tmpdir(), 'voice-agents-documents-'));
  after(() => rmSync(mediaFolder, { recursive: true }));
  let aheadMs = 0;
  const service = useService(engine, { mediaFolder, now: () => Date.now() + aheadMs });
  const newClient = async () => knowledgeClient(service, (await service.newKey()).key);
  const files = () =>
    readdirSync(mediaFolder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());

  it('are accepted with the stated size and digest, once; then the file is removed', async () => {
    const client = await newClient();
    const base = await client.base();
    const made = await client.add(base.id, fileOf('returns.md', content));
    assert.deepEqual([made.status, made.name, made.revision], ['uploading', 'returns.md', 0]);
    assert.equal((await client.get(base.id, made.id)).upload, null);
    // Not work in the sense of the base.
    assert.equal((await client.readBase(base.id)).status, 'empty');
    assert.equal((await put(service, made, `${content}!`)).status, 400);
    assert.equal((await put(service, made, content.replace('30', '31'))).status, 400);
    assert.equal((await client.get(base.id, made.id)).status, 'uploading');
    const sent = await put(service, made, content);
    assert.deepEqual([sent.status, sent.json], [200, { id: made.id, sizeBytes: Buffer.byteLength(content) }]);
    assert.equal((await put(service, made, content)).status, 404);
    const ready = await client.settled(base.id, made.id);
    assert.deepEqual([ready.status, ready.mimeType, ready.sizeBytes], ['ready', 'text/markdown', content.length]);
    await eventually(() => files().length === 0, 'removal of the file');
  });

  it('that arrive twice at the same time count once', async () => {
    const client = await newClient();
    const base = await client.base();
    const made = await client.add(base.id, fileOf('returns.md', content));
    const answers = await Promise.all([1, 2, 3].map(() => put(service, made, content)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404]);
    const ready = await client.settled(base.id, made.id);
    assert.deepEqual([ready.status, ready.revision], ['ready', 1]);
    await eventually(() => files().length === 0, 'removal of the files');
  });

  it('are replaced by other content: the former URL is not accepted any more', async () => {
    const client = await newClient();
    const base = await client.base();
    const path = `/${base.id}/documents`;
    const made = await client.add(base.id, fileOf('returns.md', content));
    const next = (await client.expect(200, 'PATCH', `${path}/${made.id}`, fileOf('returns.md', 'Other text.'))).json;
    assert.equal((await put(service, made, content)).status, 404);
    assert.equal((await put(service, next, 'Other text.')).status, 200);
    const ready = await client.settled(base.id, made.id);
    assert.equal(ready.sizeBytes, 11);
    // The same file again changes nothing.
    const same = (await client.expect(200, 'PATCH', `${path}/${made.id}`, fileOf('returns.md', 'Other text.'))).json;
    assert.equal((await put(service, same, 'Other text.')).status, 200);
    const unchanged = await client.settled(base.id, made.id);
    assert.deepEqual([unchanged.status, unchanged.revision], ['ready', 1]);
    const deleted = await client.add(base.id, fileOf('returns.md', content));
    await client.expect(200, 'DELETE', `${path}/${deleted.id}`);
    assert.equal((await put(service, deleted, content)).status, 404);
  });

  it('have a response that is repeated for the same Idempotency-Key, and stored sealed', async () => {
    const client = await newClient();
    const base = await client.base();
    const headers = { 'idempotency-key': 'upload' };
    const create = () => client.ask('POST', `/${base.id}/documents`, { body: fileOf('returns.md', content), headers });
    const [once, again] = [await create(), await create()];
    assert.equal(again.text, once.text);
    const saved = await service.database.all('SELECT * FROM idempotency_keys');
    assert.ok(saved.length > 0);
    assert.equal(JSON.stringify(saved).includes('/media/v1/'), false);
    assert.equal((await put(service, again.json, content)).status, 200);
  });

  it('of another type than the name claims have failed', async () => {
    const client = await newClient();
    const base = await client.base();
    const bytes = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x37, 0x0a]);
    for (const [name, file, code] of [
      ['a.txt', bytes, 'type_mismatch'],
      ['a.pdf', bytes, 'corrupt'],
      ['a.txt', '', 'no_text_found'],
    ] as const) {
      const made = await client.add(base.id, fileOf(name, file));
      assert.equal((await put(service, made, file)).status, 200);
      const failed = await client.settled(base.id, made.id);
      assert.deepEqual([failed.status, failed.error?.code, failed.revision], ['failed', code, 0]);
    }
    assert.equal((await client.readBase(base.id)).status, 'degraded');
    await eventually(() => files().length === 0, 'removal of the files');
  });

  it('are too late after an hour, and the document has failed after 24', async () => {
    const client = await newClient();
    const base = await client.base();
    const made = await client.add(base.id, fileOf('returns.md', content));
    aheadMs = hourMs + 1000;
    assert.equal((await put(service, made, content)).status, 404);
    assert.equal((await client.get(base.id, made.id)).status, 'uploading');
    const folder = join(mediaFolder, 'knowledge', made.id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'part'), 'what a lost process has left');
    aheadMs = 24 * hourMs + 1000;
    const failed = await client.settled(base.id, made.id);
    assert.deepEqual([failed.status, failed.error?.code], ['failed', 'upload_expired']);
    await eventually(() => files().length === 0, 'removal of the part');
    const again = (await client.expect(200, 'PATCH', `/${base.id}/documents/${made.id}`, fileOf('r.md', content))).json;
    assert.equal((await put(service, again, content)).status, 200);
    assert.equal((await client.settled(base.id, made.id)).status, 'ready');
  });
});
