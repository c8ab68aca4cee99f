import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildOpenApi } from '../../src/contract/documents/openapi.ts';
import { send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { type Service, startService } from '../support/service.ts';
import { createProbes, pageOfIds } from './probes/area.ts';
import { probesContract } from './probes/contract.ts';

describe('a search', () => {
  const engine = sqliteEngine();
  let service: Service;
  let key: string;
  let seenLimit = 0;

  before(async () => {
    service = await startService(engine, {
      otherAreas: () => [
        createProbes({
          'probes.search': ({ body, position, nextPage }) => {
            seenLimit = body.limit;
            return nextPage(pageOfIds([position?.after ?? 'first'], position === null ? 'second' : null));
          },
        }),
      ],
    });
    key = (await service.newKey()).key;
  });
  after(() => service.close());

  const search = (body: unknown, headers: Record<string, string> = {}) =>
    send(service, 'POST', '/api/v1/probes/search', { key, body, headers });
  const filter = { field: 'status', value: { a: [1, { c: 3, b: 2 }], '': null } };
  const start = async () => (await search({ filter })).json.pagination.nextCursor as string;

  it('has its page size and its cursor in the body, and no Link header', async () => {
    const first = await search({ filter, limit: 2 });
    assert.deepEqual([first.status, first.json.items, seenLimit], [200, [{ id: 'first' }], 2]);
    assert.equal(first.headers.get('link'), null);
    const { nextCursor } = first.json.pagination;
    const last = await search({ filter, cursor: nextCursor });
    assert.deepEqual([last.status, last.json], [200, { items: [{ id: 'second' }], pagination: { nextCursor: null } }]);
    assert.equal(seenLimit, 50);
  });

  it('continues with the same filter, whatever the order of its keys, the page size and unknown fields', async () => {
    const cursor = await start();
    const reordered = { value: { '': null, a: [1, { b: 2, c: 3 }] }, field: 'status' };
    for (const body of [
      { filter, cursor },
      { cursor, filter: reordered, limit: 7 },
      { filter, cursor, unknown: 1 },
    ]) {
      assert.equal((await search(body)).status, 200, JSON.stringify(body));
    }
  });

  it('rejects a cursor without its filter or with another one', async () => {
    const cursor = await start();
    const others = [
      { ...filter, field: 'Status' },
      { ...filter, value: { ...filter.value, a: [{ c: 3, b: 2 }, 1] } },
      { ...filter, value: '1' },
      { ...filter, more: 1 },
    ];
    for (const other of others) {
      const { status, json } = await search({ filter: other, cursor });
      assert.deepEqual([status, Object.keys(json.error.details.fieldErrors)], [400, ['cursor']], JSON.stringify(other));
    }
    const missing = await search({ cursor });
    assert.equal(missing.status, 400);
    assert.deepEqual(Object.keys(missing.json.error.details.fieldErrors).sort(), ['cursor', 'filter']);
  });

  it('rejects a cursor that is modified, of another list or another workspace, or not a text', async () => {
    const cursor = await start();
    const otherKey = (await service.newKey()).key;
    const list = await send(service, 'GET', '/api/v1/probes', { key });
    assert.equal(list.status, 200);
    const answers = [
      await search({ filter, cursor: `${cursor}x` }),
      await search({ filter, cursor: 5 }),
      await send(service, 'POST', '/api/v1/probes/search', { key: otherKey, body: { filter, cursor } }),
      await send(service, 'GET', `/api/v1/probes?cursor=${cursor}`, { key }),
    ];
    for (const { status, json } of answers) {
      assert.deepEqual([status, Object.keys(json.error.details.fieldErrors)], [400, ['cursor']]);
    }
  });

  it('has a short cursor, however long the filter is', async () => {
    const { json } = await search({ filter: { field: 'x', value: 'y'.repeat(100_000) } });
    assert.ok(json.pagination.nextCursor.length < 120, json.pagination.nextCursor);
  });

  it('only reads: an Idempotency-Key is validated and has no other effect', async () => {
    const headers = { 'idempotency-key': 'once' };
    assert.equal((await search({ filter }, headers)).status, 200);
    const other = await search({ filter: { field: 'b', value: 1 } }, headers);
    assert.deepEqual([other.status, other.headers.get('idempotent-replayed')], [200, null]);
    assert.equal((await search({ filter }, { 'idempotency-key': 'é' })).status, 400);
  });

  it('is in OpenAPI without a Link header', () => {
    const document = JSON.parse(JSON.stringify(buildOpenApi([probesContract])));
    const headersOf = (path: string, method: string) =>
      Object.keys(document.paths[path][method].responses['200'].headers);
    assert.ok(headersOf('/api/v1/probes', 'get').includes('Link'));
    assert.ok(!headersOf('/api/v1/probes/search', 'post').includes('Link'));
  });
});
