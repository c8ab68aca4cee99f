import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { allRows, backUpToBytes, restoreBytes } from '../../backup/support.ts';
import { send } from '../../support/client.ts';
import { createPostgresEngine, createSqliteEngine, type Engine, onEachEngine } from '../../support/engines.ts';
import { startService } from '../../support/service.ts';
import { eventually } from '../calls/support.ts';
import { analyticsClient } from './client.ts';

onEachEngine('views, alerts and prices in a backup', (engine) => {
  const other: Engine & { remove(): Promise<void> } =
    engine.name === 'sqlite' ? createPostgresEngine() : createSqliteEngine();
  after(() => other.remove());

  it('are restored on either engine, and alerts are evaluated again', async () => {
    const source = await startService(engine);
    const { key } = await source.newKey();
    const query = { range: { last: '7d' }, metrics: ['calls'] };
    const view = await analyticsClient(source, key, 'views').create({ name: 'Calls', query });
    const alerts = analyticsClient(source, key, 'alerts');
    const alert = await alerts.create({ name: 'Dead line', metric: 'calls', window: '15m', op: 'lt', value: 1 });
    await eventually(async () => (await alerts.read(alert.id)).state === 'firing');
    const prices = { currency: 'USD', items: [] };
    const at = '/api/v1/analytics/prices/2026-12-01T00:00:00Z';
    assert.equal((await send(source, 'PUT', at, { key, body: prices })).status, 200);
    await source.close();
    const rows = await allRows(source.databaseUrl);
    const { bytes } = await backUpToBytes(source.databaseUrl);
    for (const target of [engine, other]) {
      const databaseUrl = await target.newDatabaseUrl();
      await restoreBytes(databaseUrl, bytes);
      const restoredRows = await allRows(databaseUrl);
      for (const table of ['analytics_views', 'analytics_alerts', 'prices']) {
        assert.equal(rows[table]?.length, 1, table);
        assert.deepEqual(restoredRows[table], rows[table], table);
      }
      const restored = await startService(target, { databaseUrl, now: () => Date.now() + 120_000 });
      assert.deepEqual(await analyticsClient(restored, key, 'views').read(view.id), view);
      const listed = await send(restored, 'GET', '/api/v1/analytics/prices', { key });
      assert.deepEqual(listed.json.items, [{ ...prices, validFrom: '2026-12-01T00:00:00.000Z' }]);
      const isEvaluated = async (): Promise<boolean> => {
        const { state, lastEvaluatedAt } = await analyticsClient(restored, key, 'alerts').read(alert.id);
        return state === 'firing' && Date.parse(lastEvaluatedAt) > Date.now() + 60_000;
      };
      await eventually(isEvaluated, 'an evaluation');
      await restored.close();
    }
  });
});
