import assert from 'node:assert/strict';
import { it } from 'node:test';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { analyticsClient } from './client.ts';

const query = { range: { last: '7d' }, interval: 'day', metrics: ['calls'] };

onEachEngine('views', (engine) => {
  const service = useService(engine);
  const newClient = async () => analyticsClient(service, (await service.newKey()).key, 'views');

  it('keep a query as it was given, without defaults', async () => {
    const client = await newClient();
    const given = { name: '予約の割合', query: { ...query, order: { by: 'calls' }, colour: 'red' } };
    const created = await client.expect(201, 'POST', '', given);
    const { id, createdAt, updatedAt, ...rest } = created.json;
    assert.match(id, /^viw_/);
    assert.equal(updatedAt, createdAt);
    const stored = { ...query, order: { by: 'calls' } };
    assert.deepEqual(rest, { name: '予約の割合', description: null, query: stored, chart: 'line' });
    const read = await client.expect(200, 'GET', `/${id}`);
    assert.deepEqual(read.json, created.json);
    assert.equal(read.headers.get('etag'), created.headers.get('etag'));
    assert.equal(
      (await send(service, 'POST', '/api/v1/analytics/query', { key: client.key, body: stored })).status,
      200,
    );
  });

  it('are validated like a query, with every issue at once', async () => {
    const client = await newClient();
    const bad = {
      range: { last: '7y' },
      timeZone: 'Mars/Olympus',
      interval: 'minute',
      metrics: ['calls', 'luck', { metric: 'field.sum', as: 'guests' }, { ratio: ['calls', 'none'], as: 'share' }],
      groupBy: ['colour'],
      filter: { field: 'shoe', op: 'eq', value: 1 },
      order: { by: 'nothing' },
      limit: 0,
    };
    const issuesOf = async (path: string, body: object) => {
      const { status, json } = await send(service, 'POST', path, { key: client.key, body });
      assert.equal(status, 400);
      return json.error.details.fieldErrors;
    };
    const asked = await issuesOf('/api/v1/analytics/query', bad);
    assert.deepEqual(Object.keys(asked).sort(), Object.keys(bad).sort());
    const saved = await issuesOf('/api/v1/analytics/views', { name: '', query: bad, chart: 'pie' });
    assert.deepEqual(Object.keys(saved).sort(), ['chart', 'name', 'query']);
    const named = new Set(saved.query.map((issue: string) => issue.split(/[:.]/)[0]));
    assert.deepEqual([...named].sort(), Object.keys(bad).sort());
    const { id } = await client.create({ name: 'One', query });
    const updated = await client.expect(400, 'PATCH', `/${id}`, { query: bad });
    assert.deepEqual(updated.json.error.details.fieldErrors, { query: saved.query });
    for (const nothing of [null, 1, 'calls', [], {}]) {
      await client.expect(400, 'POST', '', { name: 'One', query: nothing });
      await client.expect(400, 'PATCH', `/${id}`, { query: nothing });
    }
  });

  it('are changed in part, and not if somebody else has changed them', async () => {
    const client = await newClient();
    const { id } = await client.create({ name: 'One', description: 'mine', query });
    const { headers } = await client.expect(200, 'GET', `/${id}`);
    const first = headers.get('etag') as string;
    const change = (body: object, ifMatch: string) =>
      client.ask('PATCH', `/${id}`, { body, headers: { 'if-match': ifMatch } });
    const other = { range: { last: '30d' }, metrics: ['errorRate'], groupBy: ['agentId'] };
    const changed = await change({ query: other, description: null, chart: 'bar' }, first);
    assert.deepEqual(
      [changed.json.name, changed.json.description, changed.json.query, changed.json.chart],
      ['One', null, other, 'bar'],
    );
    assert.notEqual(changed.headers.get('etag'), first);
    const refused = await change({ name: 'Two' }, first);
    assert.deepEqual([refused.status, refused.json.error.code], [409, 'VERSION_CONFLICT']);
    assert.deepEqual(refused.json.error.details, { currentEtag: changed.headers.get('etag') });
    const same = await change({ chart: 'bar', query: other }, changed.headers.get('etag') as string);
    assert.deepEqual([same.json, same.headers.get('etag')], [changed.json, changed.headers.get('etag')]);
    assert.equal((await client.ask('DELETE', `/${id}`, { headers: { 'if-match': first } })).status, 409);
    assert.deepEqual((await client.expect(200, 'DELETE', `/${id}`)).json, { id, deleted: true });
    await client.expect(404, 'GET', `/${id}`);
    await client.expect(404, 'DELETE', `/${id}`);
  });

  it('are listed newest first, a page at a time, without those of others', async () => {
    const client = await newClient();
    await (await newClient()).create({ name: 'Foreign', query });
    const filter = {
      any: Array.from({ length: 50 }, () => ({ field: 'externalId', op: 'eq', value: 'x'.repeat(450) })),
    };
    const ids = [];
    for (const name of ['one', 'two', 'three']) {
      ids.unshift((await client.create({ name, query: { ...query, filter, metrics: ['calls'] } })).id);
    }
    const first = (await client.expect(200, 'GET', '?limit=2')).json;
    const second = (await client.expect(200, 'GET', `?cursor=${first.pagination.nextCursor}`)).json;
    const listed = [...first.items, ...second.items].map(({ id }: { id: string }) => id);
    assert.deepEqual([listed, first.items.length, second.pagination.nextCursor], [ids, 2, null]);
  });

  it('are limited to 200 in a workspace', async () => {
    const client = await newClient();
    const { id } = await client.create({ name: 'One', query });
    const copy = `INSERT INTO analytics_views (workspace_id, id, etag, doc, doc_version)
      SELECT workspace_id, $2, etag, doc, doc_version FROM analytics_views WHERE id = $1`;
    for (let n = 100; n < 298; n += 1) await service.database.run(copy, [id, `${id.slice(0, -8)}00000${n}`]);
    const answers = await Promise.all([1, 2].map(() => client.ask('POST', '', { body: { name: 'More', query } })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422]);
    const refused = answers.find(({ status }) => status === 422)?.json.error;
    assert.deepEqual([refused.code, refused.details], ['LIMIT_REACHED', { limit: 200 }]);
  });
});
