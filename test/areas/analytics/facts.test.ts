import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFilling, filledFrom } from '../../../src/areas/analytics/facts/filling.ts';
import { createCallsBefore } from '../../../src/areas/calls/record/calls-before.ts';
import { createCallStore } from '../../../src/areas/calls/record/store.ts';
import type { Row } from '../../../src/storage/database.ts';
import { analytics } from '../../../src/storage/migrations/0022-analytics.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { send } from '../../support/client.ts';
import { locationOf, onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { testSealer } from '../../support/sealer.ts';
import { startService, useService } from '../../support/service.ts';
import { newChat, on } from '../calls/support.ts';

onEachEngine('figures of calls', (engine) => {
  const service = useService(engine, { emptyLogMs: 20 });

  const query = async (key: string, body: object) => {
    const answer = await send(service, 'POST', '/api/v1/analytics/query', {
      key,
      body: { range: { last: '2d' }, includeDrafts: true, ...body },
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  };
  const valuesOf = async (key: string, metrics: readonly unknown[]) => (await query(key, { metrics })).rows[0].values;
  /** What is stored of a workspace. */
  const factsOf = (workspaceId: string, database = service.database): Promise<Row[]> =>
    Promise.resolve(
      database.all('SELECT * FROM call_facts WHERE workspace_id = $1 ORDER BY created_at, call_id', [workspaceId]),
    );
  const settled = (chat: ReturnType<typeof on>) =>
    eventually(async () => !['none', 'pending'].includes((await chat.call()).analysis.status));

  it('are exact as soon as a call ends, is analyzed, changed, redacted and deleted', async () => {
    const { key } = await service.newKey();
    const count = { metric: 'calls', filter: { field: 'metadata.page', op: 'eq', value: '/booking' }, as: 'booking' };
    const metrics = ['calls', 'connectedCalls', 'analyzedRate', 'agentTurns.sum', 'latency.e2eMs.count', count];
    const agent = { postCallAnalysisModel: 'test-extract', postCallAnalysisData: [] };
    const chat = on(service, key, (await newChat(service, key, { agent, call: { metadata: { page: '/' } } })).id);
    await chat.say('Hello');
    assert.equal((await valuesOf(key, metrics)).calls, 0);
    await chat.end();
    const { turns, latency } = { turns: await chat.turns(), latency: (await chat.call()).latency };
    const ended = await valuesOf(key, metrics);
    assert.equal(ended.calls, 1);
    assert.equal(ended.connectedCalls, 1);
    assert.equal(ended['agentTurns.sum'], turns.filter(({ role }) => role === 'agent').length);
    assert.equal(ended['latency.e2eMs.count'], latency?.e2eMs?.count);
    assert.equal(ended.booking, 0);
    await settled(chat);
    assert.equal((await valuesOf(key, metrics)).analyzedRate, 1);
    await chat.patch({ metadata: { page: '/booking' } });
    assert.equal((await valuesOf(key, metrics)).booking, 1);
    await chat.redact('basic_attributes_only');
    const redacted = await valuesOf(key, metrics);
    assert.deepEqual([redacted.calls, redacted.booking], [1, 0]);
    assert.equal(redacted['latency.e2eMs.count'], ended['latency.e2eMs.count']);
    await chat.delete();
    assert.deepEqual(await valuesOf(key, ['calls', 'latency.e2eMs.count']), { calls: 0, 'latency.e2eMs.count': 0 });
  });

  it('are not seen by other workspaces, and leave nothing when a call is deleted', async () => {
    const [{ key, workspaceId }, { key: otherKey }] = [await service.newKey(), await service.newKey()];
    const chat = on(service, key, (await newChat(service, key, { call: { metadata: { word: 'kumquat' } } })).id);
    await chat.say('Hello');
    await chat.end();
    await settled(chat);
    assert.equal((await valuesOf(otherKey, ['calls'])).calls, 0);
    assert.deepEqual((await query(otherKey, { metrics: ['calls'], groupBy: ['metadata.word'] })).rows, []);
    assert.equal((await factsOf(workspaceId)).length, 1);
    await chat.delete();
    assert.deepEqual(await factsOf(workspaceId), []);
  });

  it('are filled in after a restore, newest first, as they were written when the calls ended', async () => {
    // A service of its own, which is not there to do the same at the same time.
    const own = await startService(engine);
    const { key, workspaceId } = await own.newKey();
    for (const dataStorageSetting of ['everything', 'everything_except_pii', 'basic_attributes_only']) {
      const chat = on(own, key, (await newChat(own, key, { call: { dataStorageSetting } })).id);
      await chat.say('Hello');
      await chat.end();
      await settled(chat);
    }
    await newChat(own, key);
    await own.close();
    const database = openDatabase(locationOf(own.databaseUrl), () => {});
    try {
      const written = await factsOf(workspaceId, database);
      assert.equal(written.length, 3);
      await database.transaction(async (queries) => {
        for (const statement of analytics.afterRestore ?? []) await queries.run(statement);
      });
      assert.deepEqual(await factsOf(workspaceId, database), []);
      const callsBefore = createCallsBefore(database, createCallStore(database, testSealer));
      // One call at a time, so that it can be seen how far it is.
      const fill = createFilling(
        database,
        async (queries, workspace, before) => {
          const { calls, next } = await callsBefore(queries, workspace, before);
          return { calls: calls.slice(0, 1), next: calls.length > 1 ? (calls[0]?.call.id ?? null) : next };
        },
        0,
      );
      const seen = [];
      do seen.push(await filledFrom(database, workspaceId, 1));
      while (await fill());
      const times = written.map(({ created_at: createdAt }) => createdAt);
      // The open call is the newest.
      assert.deepEqual([seen[0], ...seen.slice(2)], [1, ...times.slice(1).reverse(), null]);
      assert.deepEqual(await factsOf(workspaceId, database), written);
    } finally {
      await database.close();
    }
  });

  it('are refused with everything that is wrong with a query', async () => {
    const { key } = await service.newKey();
    const answer = await send(service, 'POST', '/api/v1/analytics/query', {
      key,
      body: {
        range: { from: '2026-11-02T00:00:00Z', to: '2026-11-01T00:00:00Z' },
        timeZone: 'Mars/Base',
        interval: 'daily',
        metrics: ['callz', 'field.avg', { metric: 'field.avg', as: 'a' }, { metric: 'calls', field: 'type', as: 'a' }],
        groupBy: ['color'],
        filter: { field: 'type', op: 'eq', value: 'fax' },
        order: { by: 'nothing' },
      },
    });
    assert.equal(answer.status, 400);
    const { fieldErrors } = answer.json.error.details;
    assert.deepEqual(Object.keys(fieldErrors).sort(), [
      'filter',
      'groupBy',
      'interval',
      'metrics',
      'order',
      'range',
      'timeZone',
    ]);
    assert.equal(fieldErrors.metrics.length, 5);
    assert.deepEqual(fieldErrors.range, ['to: must be after from']);
    assert.match(fieldErrors.metrics[0], /^0: is not a metric/);
    const tooMany = await send(service, 'POST', '/api/v1/analytics/query', {
      key,
      body: { range: { last: '400d' }, interval: 'hour', metrics: ['calls'], groupBy: ['agentId', 'type'] },
    });
    assert.equal(tooMany.status, 200);
    const hours = await send(service, 'POST', '/api/v1/analytics/query', {
      key,
      body: { range: { last: '26mo' }, interval: 'hour', metrics: ['calls'] },
    });
    assert.equal(hours.status, 422);
    assert.match(hours.json.error.details.formErrors[0], /10,000 rows/);
  });

  it('are refused for time zones without rules, and for times that cannot be written in every time zone', async () => {
    const { key } = await service.newKey();
    const issuesOf = async (body: object) => {
      const answer = await send(service, 'POST', '/api/v1/analytics/query', {
        key,
        body: { range: { last: '1d' }, metrics: ['calls'], ...body },
      });
      return [answer.status, answer.json.error?.details.fieldErrors];
    };
    for (const timeZone of ['JST', 'pst', 'SystemV/EST5', 'US/Pacific-New', '+09:00', 'Asia/東京']) {
      const expected = { timeZone: ['must be the name of a time zone, such as Asia/Tokyo'] };
      assert.deepEqual(await issuesOf({ timeZone }), [400, expected], timeZone);
    }
    for (const [from, to, ...names] of [
      ['9999-12-31T00:00:00-12:00', '9999-12-31T23:59:59-12:00', 'from', 'to'],
      ['0000-01-01T00:00:00+12:00', '0000-01-02T00:00:00Z', 'from', 'to'],
      ['9998-12-31T00:00:00Z', '9999-01-01T00:00:00Z', 'to'],
    ]) {
      const expected = { range: names.map((name) => `${name}: must be in a year from 1000 to 9998`) };
      assert.deepEqual(await issuesOf({ range: { from, to } }), [400, expected]);
    }
    for (const timeZone of ['Etc/GMT+12', 'Pacific/Kiritimati']) {
      const range = { from: '9997-12-31T00:00:00Z', to: '9998-12-31T23:59:59.999Z' };
      assert.deepEqual(await issuesOf({ range, timeZone, compare: 'previous' }), [200, undefined]);
      const first = { from: '1000-01-01T00:00:00Z', to: '1002-01-01T00:00:00Z' };
      assert.deepEqual(await issuesOf({ range: first, timeZone, compare: 'previous' }), [200, undefined]);
    }
  });

  it('can be of analysis data with the longest name, counted in code points', async () => {
    const { key } = await service.newKey();
    const field = `analysis.data.${'😀'.repeat(255)}`;
    const filter = { field, op: 'exists', value: false };
    const distinct = { metric: 'field.distinct', field, as: 'values' };
    await query(key, { metrics: ['calls', distinct], groupBy: [field], filter });
    const body = { name: 'Long', metric: 'field.distinct', field, filter, window: '1h', op: 'gt', value: 1 };
    const created = await send(service, 'POST', '/api/v1/analytics/alerts', { key, body });
    assert.deepEqual([created.status, created.json.field], [201, field], created.text);
  });

  it('can be named by what analytics.fields.list returns, with the names of the workspace', async () => {
    const { key } = await service.newKey();
    for (const metadata of [{ page: '/booking', guests: 2 }, { page: 4 }, { inner: {} }]) {
      const chat = on(service, key, (await newChat(service, key, { call: { metadata } })).id);
      await chat.say('Hello');
      await chat.end();
    }
    const { json } = await send(service, 'GET', '/api/v1/analytics/fields', { key });
    type Item = { kind: string; name: string; type: string };
    const items: Item[] = json.items;
    const seen = items.filter(({ name }) => name.startsWith('metadata.'));
    assert.deepEqual(
      seen.map(({ name, type }) => [name, type]),
      [
        ['metadata.guests', 'number'],
        ['metadata.page', 'any'],
      ],
    );
    const metrics = items.filter(({ kind, name }) => kind === 'metric' && !name.startsWith('field.'));
    for (let first = 0; first < metrics.length; first += 20) {
      const names = metrics.slice(first, first + 20).map(({ name }) => name);
      assert.deepEqual(Object.keys(await valuesOf(key, names)), names);
    }
    for (const { name } of items.filter(({ kind }) => kind === 'dimension')) {
      await query(key, { metrics: ['calls'], groupBy: [name] });
    }
    for (const { name } of items.filter(({ kind }) => kind !== 'metric')) {
      const filter = { field: name, op: 'exists', value: true };
      await query(key, { metrics: [{ metric: 'field.distinct', field: name, as: 'some' }], filter });
    }
  });
});
