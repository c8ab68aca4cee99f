import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf, sqliteEngine } from '../support/engines.ts';

describe('a long batch of writes in the background on SQLite', () => {
  const engine = sqliteEngine();

  it('lets everything else run in between, which does not see it before its commit', async () => {
    const database = openDatabase(locationOf(await engine.newDatabaseUrl()), () => {});
    await database.run('CREATE TABLE things (number INTEGER)');
    let committed = 0;
    const writes = Array.from({ length: 40 }, (_, number) =>
      database
        .transaction(
          async (queries) => {
            const start = performance.now();
            while (performance.now() - start < 1);
            await queries.run('INSERT INTO things VALUES ($1)', [number]);
          },
          { isBackground: true },
        )
        .then(() => {
          committed += 1;
        }),
    );
    const seen: { readonly committed: number; readonly visible: number }[] = [];
    while (committed < writes.length) {
      const row = await database.get<{ visible: number }>('SELECT count(*) AS visible FROM things');
      seen.push({ committed, visible: row?.visible ?? 0 });
      await new Promise(setImmediate);
    }
    await Promise.all(writes);
    await database.close();
    assert.ok(seen.length >= 10, `other work ran ${seen.length} times`);
    assert.deepEqual(
      seen.filter(({ committed, visible }) => committed !== visible),
      [],
    );
  });
});
