import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createConcurrency } from '../../../../src/areas/calls/lifecycle/concurrency.ts';
import type { Queries, Reads } from '../../../../src/storage/database.ts';
import { openDatabase } from '../../../../src/storage/open.ts';
import { locationOf, newMigratedUrl, sqliteEngine } from '../../../support/engines.ts';

describe('the slots of a workspace', () => {
  const engine = sqliteEngine();

  it('are counted from an index of its open calls, however many are over', async (test) => {
    const database = openDatabase(locationOf(await newMigratedUrl(engine)), () => {});
    test.after(() => database.close());
    const steps: string[] = [];
    const get: Reads['get'] = async (sql, parameters) => {
      const plan = await database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
      steps.push(...plan.map(({ detail }) => detail).filter((detail) => detail.includes(' calls ')));
      return undefined;
    };
    const queries = { ...database, get, write: async () => 0 } as unknown as Queries;
    const concurrency = createConcurrency(database, 10, 1);
    await concurrency.free(queries, 'ws_1', 'voice');
    await concurrency.free(queries, 'ws_1', 'chat');
    await concurrency.freeAtCarrier(queries, 'ws_1', { carrierId: 'car_1', max: 5 });
    assert.equal(steps.length, 4);
    for (const step of steps) assert.match(step, /INDEX calls_open \(workspace_id=\? AND type=\? AND status=\?\)/);
  });
});
