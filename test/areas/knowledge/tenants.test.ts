import assert from 'node:assert/strict';
import { it } from 'node:test';
import { knowledgeContract } from '../../../src/contract/knowledge/index.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { knowledgeClient } from './client.ts';

const named = (knowledgeContract.operations as readonly Operation[]).filter(({ path }) => path.includes('{'));

onEachEngine('knowledge of another workspace', (engine) => {
  const service = useService(engine);
  const newClient = async () => knowledgeClient(service, (await service.newKey()).key);
  const withKnowledge = async () => {
    const client = await newClient();
    const base = await client.base();
    const made = await client.add(base.id, { name: 'a', text: 'planted-text of a workspace' });
    await client.settled(base.id, made.id);
    const [chunk] = await client.chunks(base.id, made.id);
    return { client, names: { id: base.id, documentId: made.id, chunkId: chunk.id as string } };
  };

  it('is as unknown as what does not exist: by base, document and chunk, in every operation', async () => {
    const [own, other] = [await withKnowledge(), await withKnowledge()];
    const ask = (operation: Operation, names: Record<string, string>) => {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] as string);
      const body = operation.body === null ? {} : { body: operation.bodyExample };
      return send(service, operation.method, path, {
        key: own.client.key,
        ...body,
        headers: { 'x-request-id': 'same' },
      });
    };
    for (const operation of named) {
      const last = [...operation.path.matchAll(/\{(\w+)\}/g)].at(-1)?.[1] as string;
      const id = own.names[last as 'id'];
      const unknown = { ...own.names, [last]: id.slice(0, -1) + (id.endsWith('z') ? 'y' : 'z') };
      const absent = await ask(operation, unknown);
      assert.equal(absent.status, 404, operation.id);
      for (const names of [other.names, { ...own.names, [last]: other.names[last as 'id'] }]) {
        const answer = await ask(operation, names);
        assert.equal(answer.status, 404, operation.id);
        if (names.id === own.names.id || last === 'id') assert.equal(answer.text, absent.text, operation.id);
      }
    }
    const kept = await other.client.get(other.names.id, other.names.documentId);
    assert.deepEqual([kept.status, kept.revision], ['ready', 1]);
  });

  it('is not in lists, searches or events', async () => {
    const { names } = await withKnowledge();
    const client = await newClient();
    assert.deepEqual((await client.expect(200, 'GET', `?q=${names.id}`)).json.items, []);
    assert.deepEqual(await client.events('document_ready'), []);
    const { id } = await client.base();
    const found = await client.expect(200, 'POST', `/${id}/search`, { query: 'planted' });
    assert.deepEqual(found.json.results, []);
  });

  it('of another base of the same workspace is not found through the wrong base', async () => {
    const { client, names } = await withKnowledge();
    const { id } = await client.base();
    await client.expect(404, 'GET', `/${id}/documents/${names.documentId}`);
    await client.expect(404, 'GET', `/${id}/documents/${names.documentId}/chunks`);
    await client.expect(404, 'GET', `/${id}/chunks/${names.chunkId}`);
    await client.expect(404, 'DELETE', `/${id}/documents/${names.documentId}`);
    await client.expect(404, 'PATCH', `/${id}/documents/${names.documentId}`, { name: 'x' });
    await client.expect(404, 'POST', `/${id}/documents/${names.documentId}/refresh`);
  });
});
