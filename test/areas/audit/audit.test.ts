import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAuditStore, maxScanned } from '../../../src/areas/audit/store.ts';
import { createIdGenerator } from '../../../src/core/ids.ts';
import { createAgent, send, walkPages } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';

const path = '/api/v1/audit-log';
const start = Date.parse('2026-11-15T09:00:00.000Z');

interface Entry {
  readonly routeId: string;
  readonly resourceId: string;
  readonly resourceName?: string | null;
}

onEachEngine('filters and names of the audit log', (engine) => {
  const service = useService(engine);
  const read = async (key: string, query: Record<string, string>) =>
    (await walkPages<Entry>(service, key, path, query)).flat();

  it('records the name that an agent or a key has at the time of the change', async () => {
    const { key } = await service.newKey();
    const { id } = await createAgent(service, key, { name: 'before' });
    await send(service, 'PATCH', `/api/v1/agents/${id}`, { key, body: { name: 'after' } });
    const copy = await send(service, 'POST', `/api/v1/agents/${id}/duplicate`, { key, body: { name: 'the copy' } });
    await send(service, 'DELETE', `/api/v1/agents/${id}`, { key });
    const made = await send(service, 'POST', '/api/v1/api-keys', {
      key,
      body: { name: 'CI', scopes: ['agents:read'] },
    });
    await send(service, 'POST', `/api/v1/api-keys/${made.json.id}/revoke`, { key });
    const names = (await read(key, {})).map(({ routeId, resourceName }) => [routeId, resourceName]);
    assert.deepEqual(names, [
      ['apiKeys.revoke', 'CI'],
      ['apiKeys.create', 'CI'],
      ['agents.delete', 'after'],
      ['agents.duplicate', 'the copy'],
      ['agents.duplicate', 'after'],
      ['agents.update', 'after'],
      ['agents.create', 'before'],
    ]);
    assert.equal(copy.status, 201);
  });

  it('is filtered by key, route and time, on every page', async () => {
    const { key, workspaceId } = await service.newKey();
    let now = start;
    const store = createAuditStore(
      service.database,
      createIdGenerator(() => now),
      () => now,
    );
    const routes = ['agents.create', 'agents.update', 'agents.publish'];
    for (let minute = 0; minute < 12; minute += 1) {
      now = start + minute * 60_000;
      const record = { workspaceId, requestId: null, resourceId: `agt_${minute % 2}` };
      const keyId = minute % 3 === 0 ? null : `key_${minute % 3}`;
      const routeId = routes[minute % 3] as string;
      await service.database.transaction((queries) => store.record(queries, { ...record, keyId, routeId }));
    }
    const minutes = async (query: Record<string, string>) =>
      (await walkPages<{ at: string }>(service, key, path, query))
        .flat()
        .map(({ at }) => (Date.parse(at) - start) / 60_000);
    for (const limit of ['1', '2', '50']) {
      assert.deepEqual(await minutes({ limit, keyId: 'key_1' }), [10, 7, 4, 1]);
      assert.deepEqual(await minutes({ limit, keyId: 'none' }), [9, 6, 3, 0]);
      assert.deepEqual(await minutes({ limit, keyId: 'key_9' }), []);
      assert.deepEqual(await minutes({ limit, routeId: 'agents.publish' }), [11, 8, 5, 2]);
      assert.deepEqual(await minutes({ limit, routeId: 'agents.publish,agents.create' }), [11, 9, 8, 6, 5, 3, 2, 0]);
      assert.deepEqual(await minutes({ limit, routeId: 'agents' }), [], 'the whole name');
      assert.deepEqual(await minutes({ limit, createdAfter: '2026-11-15T09:09:00Z' }), [11, 10, 9]);
      assert.deepEqual(await minutes({ limit, createdBefore: '2026-11-15T09:02:00Z' }), [1, 0]);
      const both = { createdAfter: '2026-11-15T09:03:00Z', createdBefore: '2026-11-15T09:09:00Z' };
      assert.deepEqual(await minutes({ limit, ...both, keyId: 'key_1', resourceId: 'agt_0' }), [4]);
      assert.deepEqual(await minutes({ limit, ...both, resourceId: 'agt_1' }), [7, 5, 3]);
    }
    assert.equal((await send(service, 'GET', `${path}?createdAfter=yesterday`, { key })).status, 400);
  });

  it('looks at a limited number of entries for a page, and continues', async () => {
    const { key, workspaceId } = await service.newKey();
    const newId = createIdGenerator(() => start);
    const store = createAuditStore(service.database, newId, () => start);
    const record = { workspaceId, requestId: null, resourceId: 'agt_x' };
    await service.database.transaction(async (queries) => {
      await store.record(queries, { ...record, keyId: 'key_rare', routeId: 'agents.create' });
      for (let count = 0; count < maxScanned; count += 1) {
        await store.record(queries, { ...record, keyId: 'key_often', routeId: 'agents.update' });
      }
    });
    const first = (await send(service, 'GET', `${path}?keyId=key_rare`, { key })).json;
    assert.deepEqual(first.items, []);
    assert.notEqual(first.pagination.nextCursor, null);
    const second = (await send(service, 'GET', `${path}?cursor=${first.pagination.nextCursor}`, { key })).json;
    assert.deepEqual(
      second.items.map(({ routeId }: Entry) => routeId),
      ['agents.create'],
    );
    assert.equal(second.pagination.nextCursor, null);
  });
});
