import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { useService } from '../../support/service.ts';
import { fileOf, knowledgeClient, put } from './client.ts';

const tables = ['knowledge_bases', 'documents', 'document_texts', 'chunks', 'jobs', 'events', 'idempotency_keys'];

onEachEngine('deletion of documents', (engine) => {
  const mediaFolder = mkdtempSync(join(tmpdir(), 'voice-agents-deletion-'));
  after(() => rmSync(mediaFolder, { recursive: true }));
  const service = useService(engine, { mediaFolder, emptyLogMs: 50 });
  const newClient = async () => knowledgeClient(service, (await service.newKey()).key);

  /** Where the text is still stored. */
  const placesOf = async (text: string): Promise<string[]> => {
    const places: string[] = [];
    for (const table of tables) {
      const rows = await service.database.all(`SELECT * FROM ${table}`);
      if (JSON.stringify(rows).includes(text)) places.push(table);
    }
    const files = readdirSync(mediaFolder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const paths = files.map(({ parentPath, name }) => join(parentPath, name));
    const { location } = service.database;
    if (location.engine === 'sqlite') paths.push(location.file, `${location.file}-wal`);
    for (const path of paths) if (readFileSync(path).includes(text)) places.push(path);
    return places;
  };
  const gone = (text: string) => eventually(async () => (await placesOf(text)).length === 0, `removal of ${text}`);

  it('leaves no byte of a text, of a file and of a text that was replaced', async () => {
    const client = await newClient();
    const { id } = await client.base();
    const first = await client.add(id, { name: 'a', text: 'planted-first in a sentence.' });
    await client.settled(id, first.id);
    await client.expect(200, 'PATCH', `/${id}/documents/${first.id}`, { text: 'planted-second instead.' });
    await client.settled(id, first.id);
    await gone('planted-first');
    assert.notDeepEqual(await placesOf('planted-second'), []);
    const file = fileOf('a.md', 'planted-file content.');
    const second = await client.add(id, file);
    await put(service, second, 'planted-file content.');
    await client.settled(id, second.id);
    await client.expect(200, 'DELETE', `/${id}/documents/${first.id}`);
    await gone('planted-second');
    await client.expect(200, 'DELETE', `/${id}`);
    await gone('planted-file');
  });

  it('of a base with 3,000 documents lets other requests go on', async () => {
    const client = await newClient();
    const { id, workspaceId } = await client.base();
    const made = await client.add(id, { name: 'a', text: 'A text.' });
    await client.settled(id, made.id);
    const copy = `INSERT INTO documents (workspace_id, id, base_id, type, status, name, folded_name, has_name, doc, doc_version,
        revision, base_revision, chunk_count, text_bytes, characters, work, failures)
      SELECT workspace_id, $2, base_id, type, 'ready', name, folded_name, has_name, replace(doc, $1, $2), doc_version,
        0, 0, 0, 0, 0, 1, 0 FROM documents WHERE workspace_id = $3 AND id = $1`;
    await service.database.transaction(async (queries) => {
      for (let n = 0; n < 2999; n += 1)
        await queries.run(copy, [made.id, `doc_${String(n).padStart(30, '0')}`, workspaceId]);
    });
    let isOver = false;
    let turns = 0;
    const counting = (async () => {
      for (; !isOver; turns += 1) await nextIteration();
    })();
    await client.expect(200, 'DELETE', `/${id}`);
    isOver = true;
    await counting;
    // A fast machine needs 50, and the request alone fewer than ten.
    assert.ok(turns > 20, `${turns} turns`);
  });

  it('leaves nothing of content that is being processed', async () => {
    const client = await newClient();
    const { id } = await client.base();
    for (let n = 0; n < 5; n += 1) {
      const content = `planted-${n} `.repeat(3000);
      const made = await client.add(id, fileOf('a.md', content));
      await put(service, made, content);
      await new Promise((resolve) => setTimeout(resolve, n * 15));
      await client.expect(200, 'DELETE', `/${id}/documents/${made.id}`);
      await gone(`planted-${n}`);
    }
    const base = await client.readBase(id);
    assert.deepEqual([base.status, base.documentCount, base.chunkCount], ['empty', 0, 0]);
  });
});
